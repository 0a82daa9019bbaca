package fake

import "encoding/json"

// Object is one JSON object in the API's own shape. Numbers are float64 or
// json.Number, absent keys are absent, null is nil.
type Object = map[string]any

// Dataset is what a fake Intervals.icu starts from: athletes with everything
// that they entered or recorded. What the platform computes (fitness, zones
// in time, curves, planned load, summaries) is computed from it.
type Dataset struct {
	// Today is the local date (YYYY-MM-DD) or the instant (RFC 3339) at which
	// the platform's clock stands; empty means the real clock.
	Today    string        `json:"today"`
	Athletes []AthleteData `json:"athletes"`
}

// AthleteData is one athlete's part of a Dataset. Every field is optional.
type AthleteData struct {
	Athlete       Object              `json:"athlete"`
	APIKey        string              `json:"api_key"`
	CoachOf       []string            `json:"coach_of"`
	SportSettings []Object            `json:"sport_settings"`
	Activities    []Object            `json:"activities"`
	Intervals     map[string]Object   `json:"-"` // by activity id: {"icu_intervals": [], "icu_groups": []}
	Streams       map[string][]Stream `json:"-"` // by activity id
	Messages      map[string][]Object `json:"-"` // by activity id
	Events        []Object            `json:"events"`
	Wellness      []Object            `json:"wellness"`
	Gear          []Object            `json:"gear"`
	CustomItems   []Object            `json:"custom_items"`
	Folders       []Object            `json:"folders"`

	// Record makes the streams and intervals of an activity that has none in
	// the maps above; it must give the same answer each time. The demo
	// athletes use it, so that two years of samples need not be held.
	Record func(activityID string) (streams []Stream, intervals Object) `json:"-"`
}

// Stream is one row of GET /activity/{id}/streams.json (API.md 2.3). Data
// holds a number or null for each sample.
type Stream struct {
	Type string     `json:"type"`
	Name *string    `json:"name"`
	Data []*float64 `json:"data"`
	// Data2 is the longitude of a latlng stream, nil for the others.
	Data2 []*float64 `json:"data2"`
	// Text holds Data as it was loaded when it is not a list of numbers.
	Text json.RawMessage `json:"-"`
}
