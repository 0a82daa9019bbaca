package fake

import (
	"net/http"
	"slices"
	"strings"
)

// defaultStreams is the standard set that includeDefaults adds.
var defaultStreams = strings.Fields(`time watts cadence heartrate distance altitude latlng velocity_smooth temp
	torque left_right_balance fixed_altitude`)

// wholeStreams are those whose values are integers.
var wholeStreams = enum(`time watts raw_watts cadence heartrate temp`)

var streamKeys = strings.Fields(`type name data data2 valueType valueTypeIsArray anomalies custom allNull`)

// getStreams serves the recorded samples (API.md 2.3): corrected watts under
// the name watts, and the raw ones as raw_watts when asked for or when no
// types are named.
func (c *call) getStreams() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	asked := commaList(c.query["types"])
	if len(asked) > 0 && c.flag("includeDefaults") {
		asked = append(asked, defaultStreams...)
	}
	var out []Stream
	for _, st := range named(c.s.record(c.act).streams, asked) {
		if len(asked) == 0 || slices.Contains(asked, st.Type) {
			out = append(out, st)
		}
	}
	if c.ext == "csv" {
		return streamsCSV(out), nil
	}
	list := make([]row, len(out))
	for i, st := range out {
		list[i] = streamRow(st)
	}
	return list, nil
}

// named gives streams the names they are served under.
func named(streams []Stream, asked []string) []Stream {
	corrected := slices.ContainsFunc(streams, func(st Stream) bool { return st.Type == "fixed_watts" })
	if !corrected {
		return streams
	}
	out := make([]Stream, 0, len(streams))
	for _, st := range streams {
		switch {
		case st.Type == "fixed_watts":
			st.Type = "watts"
		case st.Type == "watts" && len(asked) > 0 && !slices.Contains(asked, "raw_watts"):
			continue
		case st.Type == "watts":
			st.Type = "raw_watts"
		}
		out = append(out, st)
	}
	return out
}

func streamRow(st Stream) row {
	kind := "java.lang.Float"
	if wholeStreams[st.Type] {
		kind = "java.lang.Integer"
	}
	o := Object{
		"type": st.Type, "valueType": kind, "valueTypeIsArray": false, "custom": false,
		"allNull": !slices.ContainsFunc(st.Data, func(v *float64) bool { return v != nil }),
	}
	if st.Name != nil {
		o["name"] = *st.Name
	}
	switch {
	case st.Text != nil:
		o["data"], o["valueTypeIsArray"], o["allNull"] = st.Text, true, false
	case st.Data == nil:
		o["data"] = []any{}
	default:
		o["data"] = st.Data
	}
	if st.Data2 != nil {
		o["data2"] = st.Data2
	}
	return full(streamKeys, o)
}

// streamsCSV has a column for each stream and a line for each sample; a
// position is two colon-joined numbers.
func streamsCSV(streams []Stream) *answer {
	var b []byte
	for i, st := range streams {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, st.Type...)
	}
	for n := range sampleCount(streams) {
		b = append(b, '\n')
		for i, st := range streams {
			if i > 0 {
				b = append(b, ',')
			}
			if n >= len(st.Data) || st.Data[n] == nil {
				continue
			}
			b = appendNumber(b, *st.Data[n])
			if n < len(st.Data2) && st.Data2[n] != nil {
				b = appendNumber(append(b, ':'), *st.Data2[n])
			}
		}
	}
	b = append(b, '\n')
	a := &answer{status: http.StatusOK, header: http.Header{}, body: b}
	a.header.Set("Content-Type", "text/csv")
	return a
}

func (c *call) getIntervals() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	list, groups := c.s.intervalsOf(c.act)
	c.s.completed(c.act)
	return full([]string{"id", "analyzed", "icu_intervals", "icu_groups"}, Object{
		"id": c.act.id, "analyzed": c.act.Object["analyzed"],
		"icu_intervals": rows(allIntervalKeys, list), "icu_groups": rows(groupKeys, groups),
	}), nil
}

// intervalStats analyses a stretch of the activity as if it were an interval.
func (c *call) intervalStats() (any, error) {
	if c.act.hidden() {
		return nil, errStrava
	}
	var at [2]int
	for i, name := range []string{"start_index", "end_index"} {
		if c.query.Get(name) == "" {
			return nil, missingParameter(name, "int")
		}
		n, err := c.number(name, 0)
		if err != nil {
			return nil, err
		}
		at[i] = n
	}
	streams := c.s.record(c.act).streams
	n := sampleCount(streams)
	start, end := max(at[0], 0), min(at[1], n)
	if start >= end {
		return nil, invalid("start_index must be before end_index")
	}
	one := analyse(text(c.act.Object, "type"), streams, start, end, c.act.thresholds(), numberOr0(c.act.Object, "icu_weight"))
	one["id"], one["type"] = float64(0), "WORK"
	return full(allIntervalKeys, one), nil
}
