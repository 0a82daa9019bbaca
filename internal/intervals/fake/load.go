package fake

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Load reads a data set from the JSON of `intervals-mcp fake --load`:
//
//	{"today": "...", "athletes": [{"athlete": {}, "api_key": "", "coach_of": [],
//	  "sport_settings": [], "activities": [], "intervals": ..., "streams": ...,
//	  "messages": ..., "events": [], "wellness": [], "gear": [],
//	  "custom_items": [], "folders": []}]}
//
// Each part is in the API's own shape and optional. intervals, streams and
// messages are an object keyed by activity id whose values are the API's
// bodies, or a list of objects that name their activity. A part with an
// unknown name is an error; unknown keys inside objects are kept and served.
func Load(r io.Reader) (Dataset, error) {
	var top map[string]json.RawMessage
	decoder := json.NewDecoder(r)
	if err := decoder.Decode(&top); err != nil {
		return Dataset{}, fmt.Errorf("load: %w", err)
	}
	if err := onlyKeys(top, "today", "athletes"); err != nil {
		return Dataset{}, fmt.Errorf("load: %w", err)
	}
	var d Dataset
	if err := readPart(top, "today", &d.Today); err != nil {
		return Dataset{}, fmt.Errorf("load: %w", err)
	}
	var athletes []map[string]json.RawMessage
	if err := readPart(top, "athletes", &athletes); err != nil {
		return Dataset{}, fmt.Errorf("load: %w", err)
	}
	for i, parts := range athletes {
		a, err := loadAthlete(parts)
		if err != nil {
			return Dataset{}, fmt.Errorf("load: athletes[%d]: %w", i, err)
		}
		d.Athletes = append(d.Athletes, a)
	}
	if len(d.Athletes) == 0 {
		return Dataset{}, errors.New("load: it has no athletes")
	}
	return d, nil
}

func loadAthlete(parts map[string]json.RawMessage) (AthleteData, error) {
	var a AthleteData
	plain := []struct {
		name string
		into any
	}{
		{"athlete", &a.Athlete}, {"api_key", &a.APIKey}, {"coach_of", &idList{&a.CoachOf}},
		{"sport_settings", &a.SportSettings}, {"activities", &a.Activities}, {"events", &a.Events},
		{"wellness", &a.Wellness}, {"gear", &a.Gear}, {"custom_items", &a.CustomItems}, {"folders", &a.Folders},
	}
	known := []string{"intervals", "streams", "messages"}
	for _, p := range plain {
		known = append(known, p.name)
		if err := readPart(parts, p.name, p.into); err != nil {
			return a, err
		}
	}
	if err := onlyKeys(parts, known...); err != nil {
		return a, err
	}
	var err error
	if a.Intervals, err = perActivity(parts, "intervals", loadIntervals); err != nil {
		return a, err
	}
	if a.Streams, err = perActivity(parts, "streams", loadStreams); err != nil {
		return a, err
	}
	a.Messages, err = perActivity(parts, "messages", loadMessages)
	return a, err
}

func onlyKeys(parts map[string]json.RawMessage, known ...string) error {
	var odd []string
	for k := range parts {
		if !slices.Contains(known, k) {
			odd = append(odd, k)
		}
	}
	if len(odd) == 0 {
		return nil
	}
	slices.Sort(odd)
	return fmt.Errorf("unknown part %s (known: %s)", strings.Join(odd, ", "), strings.Join(known, ", "))
}

// readPart reads one part; absent and null leave it empty.
func readPart(parts map[string]json.RawMessage, name string, into any) error {
	raw, ok := parts[name]
	if !ok || isNull(raw) {
		return nil
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// idList reads ids that are text or numbers.
type idList struct{ into *[]string }

func (l *idList) UnmarshalJSON(raw []byte) error {
	var list []any
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, v := range list {
		*l.into = append(*l.into, idText(v))
	}
	return nil
}

// perActivity reads a part that hangs on activities, in any of its shapes.
func perActivity[T any](parts map[string]json.RawMessage, name string,
	read func(into T, body json.RawMessage) (T, error),
) (map[string]T, error) {
	raw, ok := parts[name]
	if !ok || isNull(raw) {
		return nil, nil
	}
	out := map[string]T{}
	add := func(id string, body json.RawMessage) error {
		v, err := read(out[id], body)
		if err != nil {
			return fmt.Errorf("%s: activity %s: %w", name, id, err)
		}
		out[id] = v
		return nil
	}
	var byID map[string]json.RawMessage
	if json.Unmarshal(raw, &byID) == nil {
		for id, body := range byID {
			if err := add(id, body); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("%s: neither an object by activity id nor a list", name)
	}
	for i, body := range list {
		var of struct {
			ActivityID any `json:"activity_id"`
			ID         any `json:"id"`
		}
		if err := json.Unmarshal(body, &of); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		id := idText(of.ActivityID)
		if id == "" {
			id = idText(of.ID)
		}
		if id == "" {
			return nil, fmt.Errorf("%s[%d]: no activity_id", name, i)
		}
		if err := add(id, body); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// loadIntervals takes the API's body, or a bare list of intervals.
func loadIntervals(_ Object, body json.RawMessage) (Object, error) {
	var list []Object
	if json.Unmarshal(body, &list) == nil {
		return Object{"icu_intervals": list}, nil
	}
	var o Object
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	if _, ok := o["icu_intervals"]; !ok {
		o["icu_intervals"] = o["intervals"]
		delete(o, "intervals")
	}
	return o, nil
}

// loadMessages takes a list of messages, an object that holds one, or one
// message.
func loadMessages(into []Object, body json.RawMessage) ([]Object, error) {
	var list []Object
	if json.Unmarshal(body, &list) == nil {
		return append(into, list...), nil
	}
	var o Object
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	if _, ok := o["messages"]; ok {
		return append(into, objects(o["messages"])...), nil
	}
	return append(into, o), nil
}

// loadStreams takes a list of rows, an object that holds one under `streams`,
// a single row, or an object of arrays by stream type.
func loadStreams(into []Stream, body json.RawMessage) ([]Stream, error) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil {
		return appendStreams(into, list)
	}
	var o map[string]json.RawMessage
	if err := json.Unmarshal(body, &o); err != nil {
		return nil, err
	}
	if held, ok := o["streams"]; ok {
		return loadStreams(into, held)
	}
	if _, ok := o["data"]; ok {
		return appendStreams(into, []json.RawMessage{body})
	}
	delete(o, "id")
	delete(o, "activity_id")
	types := make([]string, 0, len(o))
	for t := range o {
		types = append(types, t)
	}
	slices.Sort(types)
	for _, t := range types {
		s := Stream{Type: t}
		if err := s.take(o[t], nil); err != nil {
			return nil, err
		}
		into = append(into, s)
	}
	return into, nil
}

func appendStreams(into []Stream, list []json.RawMessage) ([]Stream, error) {
	for i, raw := range list {
		var s struct {
			Type  string
			Name  *string
			Data  json.RawMessage
			Data2 json.RawMessage
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
		if s.Type == "" {
			return nil, fmt.Errorf("stream %d: type is missing", i)
		}
		row := Stream{Type: s.Type, Name: s.Name}
		if err := row.take(s.Data, s.Data2); err != nil {
			return nil, err
		}
		into = append(into, row)
	}
	return into, nil
}

// take reads a stream's data: numbers and nulls, pairs for a latlng, or
// something else that is kept as it is.
func (s *Stream) take(data, data2 json.RawMessage) error {
	if len(data) == 0 || isNull(data) {
		return nil
	}
	if len(data2) > 0 && !isNull(data2) {
		if err := json.Unmarshal(data2, &s.Data2); err != nil {
			return fmt.Errorf("stream %s: data2: %w", s.Type, err)
		}
	}
	if json.Unmarshal(data, &s.Data) == nil {
		return nil
	}
	s.Data = nil
	var pairs [][]*float64
	if s.Type == "latlng" && json.Unmarshal(data, &pairs) == nil {
		for _, p := range pairs {
			if len(p) != 2 {
				s.Data, s.Data2 = append(s.Data, nil), append(s.Data2, nil)
				continue
			}
			s.Data, s.Data2 = append(s.Data, p[0]), append(s.Data2, p[1])
		}
		return nil
	}
	var any []json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		return fmt.Errorf("stream %s: data: %w", s.Type, err)
	}
	s.Text = data
	return nil
}
