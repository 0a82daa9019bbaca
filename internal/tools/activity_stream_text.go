package tools

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/training"
)

// streamList is the answer of get_activity_streams.
type streamList struct {
	ActivityID string   `json:"activity_id"`
	Streams    []facts  `json:"streams"`
	Samples    int      `json:"samples"`
	From       *float64 `json:"from_s,omitempty"`
	To         *float64 `json:"to_s,omitempty"`
	At         series   `json:"point_times_s,omitempty"`
	Width      float64  `json:"point_width_s,omitempty"`
	Gaps       []facts  `json:"gaps,omitempty"`
	GapCount   int      `json:"gap_count,omitempty"`
	Missing    []string `json:"not_available,omitempty"`
	Available  []string `json:"available,omitempty"`
	Page
	head   string
	blocks []string
}

// series is a list of numbers in which a missing one is null.
type series []float64

// MarshalJSON writes the list.
func (s series) MarshalJSON() ([]byte, error) { return s.append(make([]byte, 0, 6*len(s)+2)), nil }

func (s series) append(b []byte) []byte {
	b = append(b, '[')
	for i, x := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, x)
	}
	return append(b, ']')
}

// shownGaps bounds the list of gaps; the count is always told.
const shownGaps = 50

// list makes the answer, cut at a stream where it grows too long.
func (r *recording) list(in streamsIn, types []string, shown string, args uint32) streamList {
	out := streamList{ActivityID: in.ID, Streams: []facts{}, Samples: r.hi - r.lo}
	shape := r.clock.Shape(r.lo, r.hi, in.Points)
	if r.hi > r.lo {
		from, to := rounded(r.clock.Times[r.lo], 1), rounded(r.clock.Times[r.hi-1], 1)
		out.From, out.To, out.Width = &from, &to, rounded(shape.Width, 2)
		for _, at := range shape.At {
			out.At = append(out.At, rounded(at, 1))
		}
	}
	named := len(in.Types) > 0
	order := types[slices.Index(types, shown)+1:]
	var names []string
	for _, name := range order {
		s, ok := r.streams[name]
		if !ok || s.AllNull || len(s.Data) == 0 {
			out.Missing = append(out.Missing, name)
			continue
		}
		f, block := r.stream(s, shape, named)
		names, out.Streams, out.blocks = append(names, name), append(out.Streams, f), append(out.blocks, block)
	}
	n := fit(len(names), len(names), func(i int) int { return recordSize(out.blocks[i], out.Streams[i].append(nil)) })
	out.Page = Page{Shown: n, Left: len(names) - n}
	out.Streams, out.blocks = out.Streams[:n], out.blocks[:n]
	if out.Left > 0 {
		out.NextCursor = cursor{After: names[n-1], Args: args}.String()
	}
	for _, name := range r.activity.Texts("stream_types") {
		if !slices.Contains(types, name) {
			out.Available = append(out.Available, intervals.Clean(name, 64))
		}
	}
	r.gaps(&out)
	out.head = r.head(shape)
	return out
}

// gaps lists the pauses of the window.
func (r *recording) gaps(out *streamList) {
	for _, g := range r.clock.Gaps {
		if g.Index < r.lo || g.Index+1 >= r.hi {
			continue
		}
		if out.GapCount++; out.GapCount <= shownGaps {
			out.Gaps = append(out.Gaps, facts{{"after_index", float64(g.Index)}, {"from_s", rounded(g.From, 1)}, {"to_s", rounded(g.To, 1)}})
		}
	}
}

// stream gives one stream in both forms. Points of a stream that only grows
// are worth their tokens only when somebody named it.
func (r *recording) stream(s intervals.Stream, shape training.Shape, named bool) (facts, string) {
	kind := streamKindOf(s.Type, r.v)
	q := kind.q(r.v)
	si, decimals := q.si, q.decimals
	if kind.unit == "m/s" {
		si, decimals = nil, 3 // a pace only in words
	}
	value := func(x float64) float64 {
		if si != nil {
			x = si(x)
		}
		return rounded(x, decimals)
	}
	f := facts{{"type", s.Type}}
	f.text("name", intervals.Clean(s.Name, 80))
	f.text("unit", kind.unit)
	stats := r.clock.Stats(s.Data, r.lo, r.hi)
	f.add("count", float64(stats.Count))
	f.add("missing", float64(stats.Missing))
	if s.Data2 != nil {
		return r.track(s, f, shape)
	}
	if stats.Count == 0 {
		return f, streamName(s, "") + ": no numbers in this window"
	}
	f.add("min", value(stats.Min))
	if !kind.grows {
		f.add("mean", value(stats.Mean))
	}
	f.add("max", value(stats.Max))
	points := shape.Lasts(s.Data)
	if !kind.grows {
		points = shape.Means(s.Data)
	}
	if s.Type != "time" { // point_times_s is its shape
		list := make(series, len(points))
		for i, x := range points {
			list[i] = x
			if !math.IsNaN(x) {
				list[i] = value(x)
			}
		}
		f.add("points", list)
	}
	return f, r.streamText(s, kind, q, stats, points, named)
}

func streamName(s intervals.Stream, unit string) string {
	name := s.Type
	if s.Name != "" && s.Name != s.Type {
		name += " " + Quote(s.Name, 60)
	}
	if unit != "" {
		name += " (" + unit + ")"
	}
	return name
}

// streamText is a stream's statistics and, on a line of its own, its shape.
func (r *recording) streamText(s intervals.Stream, kind streamKind, q quantity, stats training.Stats, points []float64, named bool) string {
	_, unit := numberAndUnit(q.say(stats.Max))
	bare := func(x float64) string {
		if math.IsNaN(x) {
			return "-"
		}
		n, _ := numberAndUnit(q.say(x))
		if n == "" {
			return "-" // standing still has no pace
		}
		return n
	}
	low, high := "min", "max"
	if q.unit != "" && strings.HasPrefix(q.unit, "s_per_") {
		low, high = "slowest", "fastest"
	}
	text := fmt.Sprintf("%s: %d data points", streamName(s, unit), stats.Count)
	if stats.Missing > 0 {
		text += fmt.Sprintf(", %d missing", stats.Missing)
	}
	if least := bare(stats.Min); least != "-" {
		text += ", " + low + " " + least
	}
	if !kind.grows {
		text += ", mean " + bare(stats.Mean)
	}
	text += ", " + high + " " + bare(stats.Max)
	if s.Type == "time" || (kind.grows && !named) {
		return text
	}
	words := make([]string, len(points))
	for i, x := range points {
		words[i] = bare(x)
	}
	return text + "\n" + strings.Join(words, " ")
}

// track gives positions: data holds latitudes, data2 longitudes.
func (r *recording) track(s intervals.Stream, f facts, shape training.Shape) (facts, string) {
	lat, lng := shape.Lasts(s.Data), shape.Lasts(s.Data2)
	points := make([]series, len(lat))
	words := make([]string, len(lat))
	for i := range lat {
		words[i] = "-"
		if !math.IsNaN(lat[i]) && !math.IsNaN(lng[i]) {
			points[i] = series{rounded(lat[i], 5), rounded(lng[i], 5)}
			words[i] = round(lat[i], 5) + "," + round(lng[i], 5)
		}
	}
	f.add("points", points)
	n := r.clock.Stats(s.Data, r.lo, r.hi)
	text := fmt.Sprintf("%s: %d data points", streamName(s, "latitude,longitude in degrees"), n.Count)
	if n.Missing > 0 {
		text += fmt.Sprintf(", %d missing", n.Missing)
	}
	return f, text + "\n" + strings.Join(words, " ")
}

// head says what the points below it are.
func (r *recording) head(shape training.Shape) string {
	if r.hi == r.lo {
		return ""
	}
	from, to := r.clock.Times[r.lo], r.clock.Times[r.hi-1]
	text := parts(", ", r.activity.Type(), fmt.Sprintf("%d samples from %s to %s", r.hi-r.lo, Duration(from), Duration(to)))
	if recorded := r.clock.Recorded(r.lo, r.hi); r.timed {
		text += ", recorded " + Duration(recorded)
	} else {
		text += " (there is no time stream: a sample is taken for a second)"
	}
	if shape.Width > 0 {
		return text + fmt.Sprintf(". Means are time-weighted, zeros included. Shapes: %d points of %s each, - = no sample.", len(shape.At), Duration(shape.Width))
	}
	return text + ". Shapes: every sample, - = missing."
}

// Text gives each stream's statistics and shape.
func (l streamList) Text() string {
	if len(l.blocks) == 0 {
		text := fmt.Sprintf("No stream data found for activity %s.", l.ActivityID)
		if len(l.Available) > 0 {
			text += " Recorded: " + strings.Join(l.Available, ", ") + "."
		}
		return text
	}
	lines := []string{"Activity Streams: " + l.ActivityID, l.head}
	lines = append(lines, l.blocks...)
	if l.GapCount > 0 {
		var gaps []string
		for _, g := range l.Gaps[:min(5, len(l.Gaps))] {
			from, to := g[1].value.(float64), g[2].value.(float64)
			gaps = append(gaps, fmt.Sprintf("%s-%s", Duration(from), Duration(to)))
		}
		if more := l.GapCount - len(gaps); more > 0 {
			gaps = append(gaps, fmt.Sprintf("%d more", more))
		}
		lines = append(lines, fmt.Sprintf("Pauses without samples: %d (%s); an index is not a second.", l.GapCount, strings.Join(gaps, ", ")))
	}
	if len(l.Missing) > 0 {
		lines = append(lines, "Not available for this activity: "+strings.Join(l.Missing, ", ")+".")
	}
	if len(l.Available) > 0 {
		lines = append(lines, "Also recorded: "+strings.Join(l.Available, ", ")+".")
	}
	if more := l.text("streams"); more != "" {
		lines = append(lines, more)
	}
	return strings.Join(lines, "\n")
}
