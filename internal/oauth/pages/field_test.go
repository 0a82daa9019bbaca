package pages

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestFieldsAreToldInAnAthletesWords(t *testing.T) {
	for _, c := range []struct {
		name   string
		before any
		after  any
		want   Field
	}{
		{"start_date_local", "2026-12-01T00:00:00", "2026-12-02T07:30:00", Field{"Day", "Tue 1 Dec 2026", "Wed 2 Dec 2026, 07:30"}},
		{"start_date_local", "2026-12-01", "soon", Field{"Day", "Tue 1 Dec 2026", "soon"}},
		{"moving_time", 4380.0, json.Number("4410"), Field{"Planned time", "1 h 13 min", "1 h 13 min 30 s"}},
		{"moving_time", 0, 59.5, Field{"Planned time", "0 s", "59.5"}},
		{"distance", 800.0, 42195.0, Field{"Distance", "800 m", "42.195 km"}},
		{"icu_training_load", 82.0, nil, Field{"Load", "82", ""}},
		{"indoor", false, true, Field{"Indoors", "no", "yes"}},
		{"tags", []any{"easy", "long"}, []any{}, Field{"Tags", "easy, long", ""}},
		{"category", "WORKOUT", "RACE_A", Field{"Kind", "Workout", "Race A"}},
		{"weight", nil, 68.25, Field{"Weight", "", "68.25 kg"}},
		{"sleepQuality", 2.0, 3.0, Field{"Sleep quality", "2", "3"}},
		{"icu_custom_thing", "a", "b", Field{"Custom thing", "a", "b"}},
		{"content", nil, map[string]any{"a": 1.0}, Field{"Text", "", "{\n  \"a\": 1\n}"}},
		{"steps", nil, []any{map[string]any{"n": 1.0}}, Field{"Steps", "", "[\n  {\n    \"n\": 1\n  }\n]"}},
		{"big", 1e21, 0.1, Field{"Big", "1000000000000000000000", "0.1"}},
		{"odd", nil, func() {}, Field{"Odd", "", "a value that cannot be shown"}},
	} {
		if got := NewField(c.name, c.before, c.after); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestADifferenceTellsOnlyWhatDiffersTheDayFirst(t *testing.T) {
	got := Difference(map[string]any{"name": "Easy", "tags": []any{"a"}, "type": "Run", "zone": 1.0},
		map[string]any{"name": "Long", "tags": []any{"a"}, "type": "Run", "start_date_local": "2026-12-02", "athlete_note": "x"})
	want := []Field{{"Day", "", "Wed 2 Dec 2026"}, {"Name", "Easy", "Long"}, {"Athlete note", "", "x"}, {"Zone", "1", ""}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if got := Difference(nil, map[string]any{"name": "New"}); len(got) != 1 || got[0].New != "New" {
		t.Errorf("of something new: %q", got)
	}
	if got := Difference(nil, nil); got != nil {
		t.Errorf("of nothing: %q", got)
	}
}
