package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/intervals/fake"
)

// samples makes a stream; a negative number stands for a missing sample.
func samples(kind string, n int, value func(i int) float64) fake.Stream {
	s := fake.Stream{Type: kind, Data: make([]*float64, n)}
	for i := range s.Data {
		if v := value(i); v >= 0 {
			s.Data[i] = &v
		}
	}
	return s
}

// streamWorld has one ride (or run) with these streams.
func streamWorld(t testing.TB, sport string, streams ...fake.Stream) *world {
	var types []any
	for _, s := range streams {
		types = append(types, s.Type)
	}
	return actWorld(t, sampleNow, func(a *fake.AthleteData) { a.Streams = map[string][]fake.Stream{"i1": streams} },
		act("i1", "2026-07-14T08:00:00", fake.Object{"type": sport, "stream_types": types}))
}

// rideWithPause is 1000 s of recording with a pause of 300 s after 600 s.
func rideWithPause(t testing.TB) *world {
	return streamWorld(t, "Ride",
		samples("time", 1000, func(i int) float64 {
			if i >= 600 {
				return float64(i + 300)
			}
			return float64(i)
		}),
		samples("watts", 1000, func(i int) float64 {
			if i == 5 {
				return -1
			}
			return float64(100 + 100*(i/600))
		}),
		samples("heartrate", 1000, func(i int) float64 { return 140 }),
		samples("distance", 1000, func(i int) float64 { return float64(i) * 8 }))
}

func stream(t testing.TB, out map[string]any, kind string) map[string]any {
	t.Helper()
	for _, row := range rowsOf(t, out, "streams") {
		if row["type"] == kind {
			return row
		}
	}
	t.Fatalf("no stream %s in %v", kind, out["streams"])
	return nil
}

// Compat 4: the first and last five values say nothing.
func TestBStreamsGiveStatisticsAndAShape(t *testing.T) {
	w := rideWithPause(t)
	text, out := w.ok(t, "get_activity_streams", lapArgs)
	says(t, text, "watts (W): 999 data points, 1 missing, min 100, mean 140, max 200", "heartrate (bpm): 1000 data points, min 140, mean 140, max 140",
		"time: 1000 data points, min 0:00, max 21:39", "Pauses without samples: 1 (9:59-15:00)", "Not available for this activity: cadence, altitude, velocity_smooth.")
	s := stream(t, out, "watts")
	wantNumbers(t, s, map[string]float64{"count": 999, "missing": 1, "min": 100, "mean": 140, "max": 200})
	points := s["points"].([]any)
	if len(points) != 20 || points[0] != 100.0 || points[19] != 200.0 || points[11] != nil {
		t.Errorf("points = %v, want 20, the pause empty", points)
	}
	if times := out["point_times_s"].([]any); len(times) != 20 || times[1] != 65.0 || out["point_width_s"] != 65.0 {
		t.Errorf("point times = %v, width %v", times, out["point_width_s"])
	}
	if _, there := stream(t, out, "distance")["mean"]; there {
		t.Error("a distance has a mean")
	}
}

func TestStreamsCanBeNarrowedToAWindowOfSeconds(t *testing.T) {
	w := rideWithPause(t)
	text, out := w.ok(t, "get_activity_streams", map[string]any{"activity_id": "i1", "stream_types": "watts", "from_s": 890, "to_s": 909, "max_points": 50})
	says(t, text, "Shapes: every sample")
	s := stream(t, out, "watts")
	if len(s["points"].([]any)) != 10 || s["mean"] != 200.0 || out["from_s"] != 900.0 || out["to_s"] != 909.0 {
		t.Errorf("window = %v to %v, %v", out["from_s"], out["to_s"], s)
	}
	w.fails(t, "get_activity_streams", map[string]any{"activity_id": "i1", "from_s": 700, "to_s": 710}, "lies in a pause")
	w.fails(t, "get_activity_streams", map[string]any{"activity_id": "i1", "from_s": 9000}, "behind the end of the recording at 1299 s (21:39)")
	w.fails(t, "get_activity_streams", map[string]any{"activity_id": "i1", "from_s": 20, "to_s": 10}, "from_s 20 is after to_s 10")
	w.fails(t, "get_activity_streams", map[string]any{"activity_id": "i1", "stream_types": "watts,a/b,c d"}, `"a/b"`, `"c d"`)
}

func TestStreamTypesTakeACommaStringOrAListAndNameWhatIsMissing(t *testing.T) {
	w := rideWithPause(t)
	for _, types := range []any{"watts, heartrate,nonsense", []string{"watts", "heartrate", "nonsense"}} {
		text, out := w.ok(t, "get_activity_streams", map[string]any{"activity_id": "i1", "stream_types": types})
		says(t, text, "Not available for this activity: nonsense.", "Also recorded: time, distance.")
		if n := len(rowsOf(t, out, "streams")); n != 2 {
			t.Errorf("%v: %d streams", types, n)
		}
	}
	// Where the platform refuses a type outright, the others are still read.
	w.route(t, "POST", "/_fake/faults", `[{"path":"/streams","times":1,"status":422,"body":{"status":422,"error":"Unknown stream gap"}}]`)
	text, _ := w.ok(t, "get_activity_streams", map[string]any{"activity_id": "i1", "stream_types": "watts,gap"})
	says(t, text, "watts (W): 999", "Not available for this activity: gap.")
}

func TestStreamsOfARunHavePaceAndSteps(t *testing.T) {
	w := streamWorld(t, "Run", samples("time", 100, func(i int) float64 { return float64(i) }),
		samples("cadence", 100, func(int) float64 { return 87 }),
		samples("velocity_smooth", 100, func(i int) float64 { return 3.3898 * float64(min(i, 1)) }))
	text, out := w.ok(t, "get_activity_streams", lapArgs)
	says(t, text, "cadence (spm): 100 data points, min 174, mean 174, max 174", "velocity_smooth (/km): 100 data points, mean 4:58, fastest 4:55")
	wantNumbers(t, stream(t, out, "cadence"), map[string]float64{"mean": 174})
	wantNumbers(t, stream(t, out, "velocity_smooth"), map[string]float64{"min": 0, "max": 3.39})
}

func TestPositionsComeAsPairsAndCustomStreamsAsNumbers(t *testing.T) {
	name := "My\nsensor"
	track := samples("latlng", 50, func(i int) float64 {
		if i == 0 {
			return -1
		}
		return 51.5 + float64(i)/1000
	})
	for i := range track.Data {
		v := -0.12
		track.Data2 = append(track.Data2, &v)
		if i == 0 {
			track.Data2[0] = nil
		}
	}
	custom := samples("MySensor", 50, func(i int) float64 { return 1.25 })
	custom.Name = &name
	w := streamWorld(t, "Ride", samples("time", 50, func(i int) float64 { return float64(i) }), track, custom)
	text, out := w.ok(t, "get_activity_streams", map[string]any{"activity_id": "i1", "stream_types": "latlng,MySensor", "max_points": 5})
	says(t, text, "latlng (latitude,longitude in degrees): 49 data points, 1 missing\n51.509,-0.12 ", `MySensor "My sensor": 50 data points, min 1.25, mean 1.25, max 1.25`)
	if p := stream(t, out, "latlng")["points"].([]any)[0].([]any); p[0] != 51.509 || p[1] != -0.12 {
		t.Errorf("first position = %v", p)
	}
}

func TestAnActivityWithoutStreamsSaysSo(t *testing.T) {
	w := actWorld(t, sampleNow, nil, act("i1", "2026-07-14T08:00:00", fake.Object{"source": "MANUAL"}))
	text, _ := w.ok(t, "get_activity_streams", lapArgs)
	says(t, text, "No stream data found for activity i1.")
}

// fiveHours is 5 h at 1 Hz with 12 streams.
func fiveHours(t testing.TB) (*world, string) {
	names := strings.Split("time,watts,heartrate,cadence,altitude,distance,velocity_smooth,temp,torque,grade_smooth,w_bal,respiration", ",")
	var list []fake.Stream
	for _, name := range names {
		list = append(list, samples(name, 18000, func(i int) float64 {
			if name == "time" || name == "distance" {
				return float64(i)
			}
			return float64(100 + i%97)
		}))
	}
	return streamWorld(t, "Ride", list...), strings.Join(names, ",")
}

func TestManyPointsComeInPagesEachStreamOnce(t *testing.T) {
	w, names := fiveHours(t)
	args, seen := map[string]any{"activity_id": "i1", "stream_types": names, "max_points": 2000}, 0
	for {
		a := w.call(t, "get_activity_streams", args)
		if len(a.Text) > 40_000 {
			t.Fatalf("%d bytes of text", len(a.Text))
		}
		var out map[string]any
		if err := json.Unmarshal(a.Structured, &out); err != nil {
			t.Fatal(a.Text)
		}
		for i, row := range rowsOf(t, out, "streams") {
			if want := strings.Split(names, ",")[seen+i]; row["type"] != want {
				t.Fatalf("stream %v, want %s", row["type"], want)
			}
		}
		seen += len(rowsOf(t, out, "streams"))
		if out["next_cursor"] == nil {
			break
		}
		args["cursor"] = out["next_cursor"]
	}
	if seen != 12 {
		t.Errorf("%d streams", seen)
	}
}

// canned answers every path again with what it was answered first.
type canned struct {
	next http.RoundTripper
	mu   sync.Mutex
	body map[string][]byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.body[r.URL.Path] == nil {
		resp, err := c.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if c.body[r.URL.Path], err = io.ReadAll(resp.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(c.body[r.URL.Path])), Request: r}, nil
}

// BenchmarkFiveHoursOfStreams measures the tool over a 5-hour ride with 12
// streams, without the upstream's work.
func BenchmarkFiveHoursOfStreams(b *testing.B) {
	w, names := fiveHours(b)
	w.svc = newTestService(b, &canned{next: w.fake.Transport(), body: map[string][]byte{}}, "sample-key-1", func() time.Time { return w.now })
	args := mustJSON(map[string]any{"activity_id": "i1", "stream_types": names})
	for b.Loop() {
		if a := w.svc.Call(context.Background(), getActivityStreams, w.id, args); a.IsError {
			b.Fatal(a.Text)
		}
	}
}

func TestActivityAnswersStayWithinTheirTokens(t *testing.T) {
	now, err := time.Parse(time.RFC3339, sampleNow)
	if err != nil {
		t.Fatal(err)
	}
	// Bytes stand for tokens: such text holds about 2 bytes a token or more.
	w := newWorld(t, fake.Demo(now), sampleNow)
	text, out := w.ok(t, "get_activities", map[string]any{"limit": 20})
	if len(text) > 3450 {
		t.Errorf("20 activities take %d bytes", len(text))
	}
	for _, row := range rowsOf(t, out, "activities") {
		if row["hidden"] == true || row["id"] == "i71096886" { // hidden; a long description
			continue
		}
		for tool, most := range map[string]int{"get_activity_details": 1060, "get_activity_streams": 1300} {
			text, _ := w.ok(t, tool, map[string]any{"activity_id": row["id"]})
			if len(text) > most {
				t.Errorf("%s of %v takes %d bytes, want at most %d:\n%s", tool, row["id"], len(text), most, text)
			}
		}
		text, out := w.ok(t, "get_activity_intervals", map[string]any{"activity_id": row["id"]})
		if n := len(rowsOf(t, out, "intervals")); n > 0 && len(text) > 300+n*105 {
			t.Errorf("%d intervals of %v take %d bytes", n, row["id"], len(text))
		}
	}
	for _, tool := range []Tool{getActivities, getActivityDetails, getActivityIntervals, getActivityStreams, getActivityMessages} {
		if n := len(tool.Description); n >= 400 {
			t.Errorf("%s: %d characters of description", tool.Name, n)
		}
	}
}
