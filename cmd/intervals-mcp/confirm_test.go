package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// written is the structured result of a write, from the answer to its call.
func written(t *testing.T, answer string) map[string]any {
	t.Helper()
	var a struct {
		Result struct {
			StructuredContent map[string]any `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil || a.Result.StructuredContent == nil {
		t.Fatalf("%v: %s", err, answer)
	}
	return a.Result.StructuredContent
}

const planRide = `{"name":"Threshold","workout_type":"Ride","start_date":"+2d","moving_time":3600}`

func TestConfirmDecidesWhatIsShownBeforeItIsMade(t *testing.T) {
	for setting, want := range map[string]struct{ create, remove string }{
		"":            {"preview", "preview"}, // all is the default
		"all":         {"preview", "preview"},
		"destructive": {"applied", "preview"},
		"never":       {"applied", "applied"},
	} {
		t.Run(setting, func(t *testing.T) {
			args := []string{"serve", "--demo", "--addr", "127.0.0.1:0"}
			if setting != "" {
				args = append(args, "--confirm", setting)
			}
			r := launch(t, environ(t, "LOG_LEVEL=warn"), args...)
			do := func(tool, arguments, status string) map[string]any {
				t.Helper()
				_, answer := r.rpc(toolCall(tool, arguments))
				out := written(t, answer)
				if out["status"] != status {
					t.Fatalf("%s: %s", tool, answer)
				}
				if status != "preview" {
					return out
				}
				both, _ := json.Marshal(map[string]any{"confirmation": out["confirmation"], "summary": out["summary"]})
				_, answer = r.rpc(toolCall("confirm_change", string(both)))
				if out = written(t, answer); out["status"] != "applied" {
					t.Fatalf("confirm_change: %s", answer)
				}
				return out
			}
			made := do("add_or_update_event", planRide, want.create)
			id, _ := json.Marshal(made["event"].(map[string]any)["id"])
			gone := do("delete_event", `{"event_id":`+string(id)+`}`, want.remove)
			change, _ := json.Marshal(gone["change_id"])
			do("undo_change", `{"change_id":`+string(change)+`}`, map[bool]string{true: "preview", false: "applied"}[want.create == "preview"])
		})
	}
}

func TestStdioShowsChangesFirstUnlessToldOtherwise(t *testing.T) {
	for setting, want := range map[string]string{"": "preview", "never": "applied"} {
		args := []string{"stdio", "--demo"}
		if setting != "" {
			args = append(args, "--confirm", setting)
		}
		_, out, _ := finish(t, environ(t), toolCall("add_or_update_event", planRide), args...)
		if got := written(t, out); got["status"] != want || (got["confirmation"] != nil) != (want == "preview") {
			t.Errorf("%q: %s", setting, out)
		}
	}
}

func TestTheHelpSaysWhatConfirmMeans(t *testing.T) {
	for _, command := range []string{"serve", "stdio", "tokens"} {
		_, out, _ := finish(t, environ(t), "", command, "--help")
		for _, words := range []string{"--confirm", "all (default)", "destructive (deletes", "never"} {
			if !strings.Contains(out, words) {
				t.Errorf("%s --help lacks %q", command, words)
			}
		}
	}
}
