package fake

import (
	"log/slog"
	"math"
	"runtime"
	"slices"
	"sync"
)

func noLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// mostRecords is how many made recordings are held: Record makes them again.
const mostRecords = 4

// recordCache holds the last made recordings, the newest last.
type recordCache struct{ kept []keptRecord }

type keptRecord struct {
	id        string
	streams   []Stream
	intervals Object
}

func (c *recordCache) get(id string) (keptRecord, bool) {
	for i, r := range c.kept {
		if r.id == id {
			c.kept = append(slices.Delete(c.kept, i, i+1), r)
			return r, true
		}
	}
	return keptRecord{}, false
}

func (c *recordCache) put(r keptRecord) {
	if len(c.kept) >= mostRecords {
		c.kept = slices.Delete(c.kept, 0, 1)
	}
	c.kept = append(c.kept, r)
}

func (c *recordCache) forget(id string) {
	c.kept = slices.DeleteFunc(c.kept, func(r keptRecord) bool { return r.id == id })
}

// record gives an activity's streams and intervals: as loaded, or as its
// athlete's Record makes them.
func (s *Server) record(act *activity) keptRecord {
	r := keptRecord{act.id, act.streams, act.intervals}
	if !act.canRecord() {
		return r
	}
	made, ok := s.records.get(act.id)
	if !ok {
		made.id = act.id
		made.streams, made.intervals = act.owner.record(act.id)
		s.records.put(made)
	}
	if r.streams == nil {
		r.streams = made.streams
	}
	if r.intervals == nil {
		r.intervals = made.intervals
	}
	return r
}

// canRecord tells if streams can be made that were not loaded.
func (a *activity) canRecord() bool {
	return a.owner.record != nil && !a.notLoaded && (a.streams == nil || a.intervals == nil)
}

// eachRecording calls use for every activity, on all processors, with
// recordings that are dropped afterwards. use must only touch its activity.
func (s *Server) eachRecording(acts []*activity, use func(*activity, keptRecord)) {
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), len(acts))
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(acts); i += workers {
				act := acts[i]
				r := keptRecord{act.id, act.streams, act.intervals}
				if act.canRecord() {
					streams, intervals := act.owner.record(act.id)
					if r.streams == nil {
						r.streams = streams
					}
					if r.intervals == nil {
						r.intervals = intervals
					}
				}
				use(act, r)
			}
		})
	}
	wg.Wait()
}

// completed fills in what follows from an activity's streams and was not
// loaded. A recording is made for it only when even the load is missing.
func (s *Server) completed(act *activity) {
	if act.complete {
		return
	}
	act.complete = true
	o := act.Object
	streams := act.streams
	if _, loaded := o["icu_training_load"]; streams == nil && !loaded && act.canRecord() {
		streams = s.record(act).streams
	}
	fill := func(key string, v any) {
		if _, there := o[key]; !there && v != nil {
			o[key] = v
		}
	}
	if len(streams) > 0 {
		act.snapshotThresholds(fill)
		for k, v := range summarise(text(o, "type"), streams, act.thresholds()) {
			fill(k, clone(v))
		}
		types := make([]string, len(streams))
		for i, st := range streams {
			types[i] = st.Type
		}
		fill("stream_types", types)
	}
	if o["average_heartrate"] != nil {
		fill("has_heartrate", true)
	}
	load, secs := numberOr0(o, "icu_training_load"), numberOr0(o, "moving_time")
	np, ftp := numberOr0(o, "icu_weighted_avg_watts"), numberOr0(o, "icu_ftp")
	switch {
	case np > 0 && ftp > 0:
		fill("icu_intensity", round8(100*np/ftp))
	case load > 0 && secs > 0:
		fill("icu_intensity", round8(100*math.Sqrt(load*36/secs)))
	}
	if rpe, ok := number(o, "icu_rpe"); ok && secs > 0 {
		fill("session_rpe", math.Round(rpe*secs/60))
	}
}

// snapshotThresholds notes the settings an activity was analysed under.
func (a *activity) snapshotThresholds(fill func(string, any)) {
	t := a.thresholds()
	for key, v := range map[string]float64{
		"icu_ftp": t.FTP, "lthr": t.LTHR, "athlete_max_hr": t.MaxHR, "threshold_pace": t.ThresholdPace,
	} {
		if v > 0 {
			fill(key, v)
		}
	}
	for key, list := range map[string][]float64{
		"icu_power_zones": t.PowerZones, "icu_hr_zones": t.HRZones, "pace_zones": t.PaceZones,
	} {
		if len(list) > 0 {
			fill(key, list)
		}
	}
}

// intervalsOf gives an activity's intervals and groups: as loaded or
// recorded, else one interval over the whole of its streams.
func (s *Server) intervalsOf(act *activity) (list, groups []Object) {
	r := s.record(act)
	return intervalsIn(act, r)
}

func intervalsIn(act *activity, r keptRecord) (list, groups []Object) {
	if r.intervals != nil {
		list = objects(r.intervals["icu_intervals"])
		if given, ok := r.intervals["icu_groups"]; ok && given != nil {
			return list, objects(given)
		}
		return list, groupIntervals(list)
	}
	if n := sampleCount(r.streams); n > 0 {
		one := analyse(text(act.Object, "type"), r.streams, 0, n, act.thresholds(), numberOr0(act.Object, "icu_weight"))
		one["id"], one["type"] = float64(1), "WORK"
		list = []Object{one}
	}
	return list, nil
}

// sampleCount is the length of the streams.
func sampleCount(streams []Stream) int {
	n := 0
	for _, st := range streams {
		n = max(n, len(st.Data))
	}
	return n
}

// column finds a stream's data; watts that were corrected win over the raw.
func column(streams []Stream, kind string) []*float64 {
	var found []*float64
	for _, st := range streams {
		switch st.Type {
		case "fixed_" + kind:
			return st.Data
		case kind:
			found = st.Data
		}
	}
	return found
}
