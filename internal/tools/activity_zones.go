package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"intervals-mcp/internal/intervals"
)

// trainingZone is one zone with the time spent in it. Bounds are NaN where
// they are open or unknown; they are the activity's own, not today's
// (domain.md "Zones").
type trainingZone struct {
	name     string
	low, top float64 // W, bpm or m/s
	secs     float64
}

// zoneSet is the time in zones on one basis.
type zoneSet struct {
	key, label string // of the structured result and the text
	unit       string // of its bounds: w, bpm or a pace
	zones      []trainingZone
	sweetSpot  *trainingZone // overlaps others: shown apart, in no sum
}

// activityZones reads the time in zones on every basis of which the activity
// has any.
func activityZones(a intervals.Activity) []zoneSet {
	var out []zoneSet
	for _, set := range []zoneSet{powerZones(a), heartZones(a), paceZones(a)} {
		timed := func(z trainingZone) bool { return !intervals.Missing(z.secs) }
		if slices.ContainsFunc(set.zones, timed) || set.sweetSpot != nil {
			out = append(out, set)
		}
	}
	return out
}

// powerZones: bounds in percent of the activity's FTP, in whole watts.
func powerZones(a intervals.Activity) zoneSet {
	set := zoneSet{key: "power", label: "Power Zones", unit: "w"}
	ftp, known := a.Number("icu_ftp")
	bounds := a.Numbers("icu_power_zones")
	for _, one := range a.Objects("icu_zone_times") {
		secs, ok := one.Number("secs")
		if !ok {
			continue
		}
		z := trainingZone{name: intervals.Clean(one.Str("id"), 10), low: math.NaN(), top: math.NaN(), secs: secs}
		if z.name == "SS" {
			set.sweetSpot = &z
			z.low, z.top = percentOf(a, "icu_sweet_spot_min", ftp), percentOf(a, "icu_sweet_spot_max", ftp)
			continue
		}
		if i := len(set.zones); known && i < len(bounds) {
			z.low = 0
			if i > 0 {
				z.low = math.Floor(bounds[i-1]*ftp/100) + 1
			}
			if bounds[i] < 999 {
				z.top = math.Floor(bounds[i] * ftp / 100)
			}
		}
		set.zones = append(set.zones, z)
	}
	return set
}

func percentOf(a intervals.Activity, key string, ftp float64) float64 {
	pct, ok := a.Number(key)
	if !ok || ftp == 0 {
		return math.NaN()
	}
	return math.Floor(pct * ftp / 100)
}

// heartZones: upper bounds in bpm, the first zone from 0.
func heartZones(a intervals.Activity) zoneSet {
	set := zoneSet{key: "hr", label: "HR Zones", unit: "bpm"}
	bounds := a.Numbers("icu_hr_zones")
	for i, secs := range a.Numbers("icu_hr_zone_times") {
		z := trainingZone{name: fmt.Sprintf("Z%d", i+1), low: math.NaN(), top: math.NaN(), secs: secs}
		if i < len(bounds) {
			z.low, z.top = 0, bounds[i]
			if i > 0 {
				z.low = bounds[i-1] + 1
			}
		}
		set.zones = append(set.zones, z)
	}
	return set
}

// paceZones: upper bounds in percent of threshold speed; kept in m/s.
func paceZones(a intervals.Activity) zoneSet {
	set := zoneSet{key: "pace", label: "Pace Zones"}
	threshold, known := a.Number("threshold_pace")
	bounds := a.Numbers("pace_zones")
	for i, secs := range a.Numbers("pace_zone_times") {
		z := trainingZone{name: fmt.Sprintf("Z%d", i+1), low: math.NaN(), top: math.NaN(), secs: secs}
		if known && i < len(bounds) {
			if i > 0 {
				z.low = bounds[i-1] * threshold / 100
			}
			if bounds[i] < 999 {
				z.top = bounds[i] * threshold / 100
			}
		}
		set.zones = append(set.zones, z)
	}
	return set
}

// text is one line; neighbours without a second are joined.
func (s zoneSet) text(v voice) string {
	var pieces []string
	for i := 0; i < len(s.zones); i++ {
		z := s.zones[i]
		if z.secs == 0 {
			last := i
			for last+1 < len(s.zones) && s.zones[last+1].secs == 0 {
				last++
			}
			if last > i {
				pieces = append(pieces, z.name+"-"+s.zones[last].name+" 0:00")
				i = last
				continue
			}
		}
		pieces = append(pieces, parts(" ", z.name, s.bounds(z, v), zoneTime(z)))
	}
	line := s.label + ": " + strings.Join(pieces, ", ")
	if s.sweetSpot != nil {
		line += parts(" ", "; sweet spot", s.bounds(*s.sweetSpot, v), zoneTime(*s.sweetSpot), "(overlaps, in no sum)")
	}
	return line
}

// short is one line of few tokens: the upper bounds, then the times.
func (s zoneSet) short(v voice) string {
	last := len(s.zones) - 1
	var tops, times []string
	unit := ""
	for i, z := range s.zones {
		top := s.bounds(trainingZone{low: math.NaN(), top: z.top}, v)
		if top = strings.TrimPrefix(top, "<"); top != "" {
			n, u := numberAndUnit(top)
			tops, unit = append(tops, n), u
		} else if i == last && len(tops) == last {
			tops = append(tops, "open")
		}
		times = append(times, zoneTime(z))
	}
	line := s.label
	if last >= 0 {
		line += fmt.Sprintf(" %s-%s", s.zones[0].name, s.zones[last].name)
		if len(tops) == len(s.zones) {
			line += parts(" ", " up to "+strings.Join(tops, "/"), unit)
		}
		line += ": " + strings.Join(times, ", ")
	}
	if s.sweetSpot != nil {
		line += "; sweet spot (in no sum) " + zoneTime(*s.sweetSpot)
	}
	return line
}

func zoneTime(z trainingZone) string {
	if intervals.Missing(z.secs) {
		return ""
	}
	return Duration(z.secs)
}

// bounds words a zone's range, slow to fast for paces; "" when unknown.
func (s zoneSet) bounds(z trainingZone, v voice) string {
	low, top := "", ""
	suffix := ""
	switch {
	case s.unit == "":
		low, suffix, _ = strings.Cut(Pace(z.low, v.pace), "/")
		fast, suffix2, _ := strings.Cut(Pace(z.top, v.pace), "/")
		if top = fast; suffix2 != "" {
			suffix = suffix2
		}
		if suffix != "" {
			suffix = "/" + suffix
		}
	default:
		if !math.IsNaN(z.low) {
			low = round(z.low, 0)
		}
		if !math.IsNaN(z.top) {
			top = round(z.top, 0)
		}
		suffix = map[string]string{"w": " W", "bpm": " bpm"}[s.unit]
	}
	switch {
	case low == "" && top == "":
		return ""
	case top == "" && s.unit == "":
		return ">" + low + suffix // faster than
	case top == "":
		return low + "+" + suffix
	case low == "":
		return "<" + top + suffix // slower than
	}
	return low + "-" + top + suffix
}

// facts is the structured form: every zone, zero seconds included.
func (s zoneSet) facts(v voice) []facts {
	list := make([]facts, 0, len(s.zones)+1)
	for _, z := range s.zones {
		list = append(list, s.zoneFacts(z, v))
	}
	return list
}

func (s zoneSet) zoneFacts(z trainingZone, v voice) facts {
	var f facts
	f.text("id", z.name)
	low, top, unit := z.low, z.top, s.unit
	if unit == "" {
		q := asPace(v)
		low, top, unit = q.si(low), q.si(top), q.unit
	}
	for _, end := range []struct {
		key   string
		value float64
	}{{"from_", low}, {"to_", top}} {
		if !math.IsNaN(end.value) && !math.IsInf(end.value, 0) {
			f.add(end.key+unit, rounded(end.value, 1))
		}
	}
	if !intervals.Missing(z.secs) {
		f.add("time_s", z.secs)
	}
	return f
}

// zonesFacts is the structured form of every basis.
func zonesFacts(sets []zoneSet, v voice) facts {
	var f facts
	for _, s := range sets {
		f.add(s.key, s.facts(v))
		if s.sweetSpot != nil {
			f.add("sweet_spot", s.zoneFacts(*s.sweetSpot, v))
		}
	}
	return f
}
