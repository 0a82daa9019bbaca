package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// readSample reads a sample body of the reference.
func readSample[T any](t *testing.T, name string) T {
	t.Helper()
	raw, err := os.ReadFile("testdata/samples/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// sampleWorld is the athlete of the reference's samples on 15 July 2026, noon
// in London, with a coach, the coach's two others, and a stranger.
func sampleWorld(t *testing.T) Dataset {
	person := func(id, zone string, coachOf ...string) AthleteData {
		return AthleteData{
			Athlete: Object{"id": id, "name": "Athlete " + id, "timezone": zone}, CoachOf: coachOf,
			Activities: []Object{{
				"id": "a" + id, "type": "Run", "start_date_local": "2026-07-15T07:00:00", "icu_training_load": 40,
				"moving_time": 2400, "distance": 8000,
			}},
			Events: []Object{{
				"id": json.Number(id[1:] + "1"), "category": "NOTE", "name": "Note of " + id, "start_date_local": "2026-07-15T00:00:00",
			}},
		}
	}
	sample := AthleteData{
		Athlete: readSample[Object](t, "athlete"), APIKey: "key-sample",
		SportSettings: readSample[[]Object](t, "sport_settings_list"),
		Activities:    readSample[[]Object](t, "activities_list"),
		Intervals:     map[string]Object{"i90000101": readSample[Object](t, "activity_intervals")},
		Messages:      map[string][]Object{"i90000101": readSample[[]Object](t, "activity_messages")},
		Events:        append(readSample[[]Object](t, "events_list"), readSample[[]Object](t, "events_other_categories")...),
		Wellness:      readSample[[]Object](t, "wellness_list"),
		Gear:          readSample[[]Object](t, "gear_list"),
		CustomItems:   readSample[[]Object](t, "custom_items_list"),
		Folders:       readSample[[]Object](t, "folders_list"),
	}
	streams, err := loadStreams(nil, readSample[json.RawMessage](t, "activity_streams"))
	if err != nil {
		t.Fatal(err)
	}
	sample.Streams = map[string][]Stream{"i90000101": streams}
	return Dataset{Today: "2026-07-15", Athletes: []AthleteData{
		sample,
		person("i20002", "Europe/London", "i12345", "i20003", "i20004"),
		person("i20003", "Pacific/Auckland"),
		person("i20004", "America/Los_Angeles"),
		person("i20005", "UTC"),
	}}
}

// world is a running fake and a caller of it.
type world struct {
	t      *testing.T
	server *Server
	key    string
}

func newWorld(t *testing.T) *world { return worldOf(t, sampleWorld(t), Options{}) }

func worldOf(t *testing.T, d Dataset, o Options) *world {
	t.Helper()
	s, err := New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t, s, s.Athletes()[0].APIKey}
}

// as is the same platform for another athlete.
func (w *world) as(id string) *world {
	for _, a := range w.server.Athletes() {
		if a.ID == id {
			return &world{w.t, w.server, a.APIKey}
		}
	}
	w.t.Fatalf("no athlete %s", id)
	return nil
}

// reply is a response with its body read.
type reply struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// try sends a request; body is sent as JSON unless it is a string.
func (w *world) try(method, path string, body any) (reply, error) {
	w.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			w.t.Fatal(err)
		}
		reader = strings.NewReader(string(raw))
	}
	if !strings.HasPrefix(path, "/_fake") {
		path = "/api/v1/" + path
	}
	r, err := http.NewRequestWithContext(w.t.Context(), method, "http://fake"+path, reader)
	if err != nil {
		w.t.Fatal(err)
	}
	r.SetBasicAuth("API_KEY", w.key)
	res, err := w.server.Transport().RoundTrip(r)
	if err != nil {
		return reply{}, err
	}
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{w.t, res.StatusCode, res.Header, string(raw)}, nil
}

// do is try for what must get an answer.
func (w *world) do(method, path string, body any) reply {
	w.t.Helper()
	r, err := w.try(method, path, body)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (w *world) get(path string) reply {
	w.t.Helper()
	return w.do(http.MethodGet, path, nil).ok()
}

// ok wants a 200.
func (r reply) ok() reply {
	r.t.Helper()
	if r.status != http.StatusOK {
		r.t.Fatalf("status %d: %s", r.status, r.body)
	}
	return r
}

// refused wants a status and a part of the body.
func (r reply) refused(status int, part string) {
	r.t.Helper()
	if r.status != status || !strings.Contains(r.body, part) {
		r.t.Errorf("got %d %s, want %d with %q", r.status, r.body, status, part)
	}
}

func decode[T any](r reply) T {
	r.t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		r.t.Fatalf("%v in %s", err, r.body)
	}
	return v
}

func (r reply) object() Object { r.t.Helper(); return decode[Object](r) }
func (r reply) list() []Object { r.t.Helper(); return decode[[]Object](r) }

// ids are the ids of a list, in order.
func (r reply) ids() string {
	r.t.Helper()
	var out []string
	for _, o := range r.list() {
		out = append(out, idText(o["id"]))
	}
	return strings.Join(out, " ")
}

// at fixes the clock.
func at(t *testing.T, when string) func() time.Time {
	t.Helper()
	now, err := time.Parse(time.RFC3339, when)
	if err != nil {
		t.Fatal(err)
	}
	return func() time.Time { return now }
}
