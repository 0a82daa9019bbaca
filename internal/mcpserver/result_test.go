package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"
	"testing"

	"intervals-mcp/internal/tools"
)

// What a tool answered arrives as it was, whichever way it is written.
func TestAnAnswerArrivesAsTheToolGaveIt(t *testing.T) {
	for name, a := range map[string]tools.Answer{
		"both":      {Text: "a \"quoted\" <b>&amp;</b>\n\ttab \\ é \u2028 ", Structured: json.RawMessage(`{"a":"<\u0000>","b":[1,2.50,null]}`)},
		"text only": {Text: "plain"},
		"empty":     {Structured: json.RawMessage(`{}`)},
		"error":     {Text: "no", IsError: true, Structured: json.RawMessage(`{"status":"refused"}`)},
	} {
		c := &caller{fn: func(context.Context, tools.Tool, json.RawMessage) tools.Answer { return a }}
		want := map[string]any{"content": []any{map[string]any{"type": "text", "text": a.Text}}}
		if a.Structured != nil {
			var s any
			if err := json.Unmarshal(a.Structured, &s); err != nil {
				t.Fatal(err)
			}
			want["structuredContent"] = s
		}
		if a.IsError {
			want["isError"] = true
		}
		byID, _ := pipe(t, c, writer(t), hello+numbered("1", "zz_read"))
		if got := byID["1"]["result"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s, stdio:\n got %v\nwant %v", name, got, want)
		}
		r := newRig(t, nil)
		r.caller.fn = c.fn
		if got := r.post(t, call("zz_read")).at("result"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, HTTP:\n got %v\nwant %v", name, got, want)
		}
	}
}
