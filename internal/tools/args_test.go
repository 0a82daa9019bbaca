package tools

import (
	"encoding/json"
	"strings"
	"testing"
)

// sampler is a tool with a parameter of each kind.
var sampler = Tool{Name: "sampler", Params: []Param{
	{Name: "name", Kind: String, MaxLen: 10},
	{Name: "limit", Kind: Integer, Min: 1, Max: 200, Default: 10},
	{Name: "factor", Kind: Number, Min: -1, Max: 1},
	{Name: "flag", Kind: Boolean},
	{Name: "start_date", Kind: Date},
	{Name: "athlete_id", Kind: ID},
	{Name: "color", Kind: Enum, Enum: []string{"red", "GREEN"}},
	{Name: "durations", Kind: List, Items: Integer, Min: 1, Max: 100},
	{Name: "doc", Kind: Object},
}}

func TestArgumentsAreReadLenientlyWhereModelsSlip(t *testing.T) {
	for in, want := range map[string]string{
		``:                                `{"limit":10}`,
		`null`:                            `{"limit":10}`,
		`{}`:                              `{"limit":10}`,
		`{"limit":"42"}`:                  `{"limit":42}`,
		`{"limit":42.0}`:                  `{"limit":42}`,
		`{"limit":null,"name":""}`:        `{"limit":10}`,
		`{"name":" \t\n"}`:                `{"limit":10}`,
		`{"name":"\u00a0\u200b"}`:         `{"limit":10}`,
		`{"name":" a "}`:                  `{"limit":10,"name":" a "}`,
		`{"athlete_id":123}`:              `{"athlete_id":"123","limit":10}`,
		`{"athlete_id":" i123 "}`:         `{"athlete_id":"i123","limit":10}`,
		`{"flag":"True"}`:                 `{"flag":true,"limit":10}`,
		`{"flag":0}`:                      `{"flag":false,"limit":10}`,
		`{"color":"green"}`:               `{"color":"GREEN","limit":10}`,
		`{"durations":5}`:                 `{"durations":[5],"limit":10}`,
		`{"durations":"5, 60"}`:           `{"durations":[5,60],"limit":10}`,
		`{"durations":["5",60]}`:          `{"durations":[5,60],"limit":10}`,
		`{"start_date":"Today"}`:          `{"limit":10,"start_date":"Today"}`,
		`{"start_date":"2026-07-14"}`:     `{"limit":10,"start_date":"2026-07-14"}`,
		`{"factor":"-0.5","name":"a\nb"}`: `{"factor":-0.5,"limit":10,"name":"a\nb"}`,
		`{"name":7}`:                      `{"limit":10,"name":"7"}`,
	} {
		got, _, err := sampler.arguments(json.RawMessage(in))
		if err != nil || string(got) != want {
			t.Errorf("%s = %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestEveryProblemOfACallIsNamedAtOnce(t *testing.T) {
	_, _, err := sampler.arguments(json.RawMessage(`{"limit":1000,"start_date":"2026-02-30","athlete_id":"a/../b","colour":"red","color":"blue","durations":[5,"x"],"name":"12345678901","flag":"maybe","doc":[1],"factor":1e999}`))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"limit must be from 1 to 200", `start_date "2026-02-30" is no date`, "athlete_id must be an id",
		"colour is not a parameter of sampler (did you mean color?)", "color must be one of red, GREEN", "durations value 2: must be a whole number",
		"name is 11 characters long; at most 10", "flag must be true or false", "doc must be a JSON object", "factor must be a number",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestArgumentsThatAreNoObjectOrHoldControlCharactersAreRefused(t *testing.T) {
	for _, in := range []string{`[]`, `"x"`, `7`, `{"name":`, `{"name":"a\u0000b"}`, `{"name":"\u001b[31m"}`, "{\"name\":\"\xff\"}", `{"limit":"0x10"}`, `{"limit":1.5}`, `{"athlete_id":["i1"]}`, `{"athlete_id":"../x"}`, `{"start_date":"tuesday"}`} {
		if got, _, err := sampler.arguments(json.RawMessage(in)); err == nil {
			t.Errorf("%s was accepted as %s", in, got)
		}
	}
}

func TestAPIKeyIsIgnoredAndNeverKept(t *testing.T) {
	got, notes, err := sampler.arguments(json.RawMessage(`{"api_key":"s3cret"}`))
	if err != nil || strings.Contains(string(got)+strings.Join(notes, ""), "s3cret") || len(notes) != 1 {
		t.Errorf("arguments = %s, notes %v, %v", got, notes, err)
	}
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `{"limit":"42","durations":"1,2"}`, `{"a":{"b":[1,"c"]},"doc":{}}`, `{"start_date":"-7d"}`, `{"name":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, _, err := sampler.arguments(in)
		if err == nil && !json.Valid(got) {
			t.Fatalf("%q gave %q", in, got)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b") {
			t.Fatalf("%q: control characters in %q", in, err)
		}
	})
}
