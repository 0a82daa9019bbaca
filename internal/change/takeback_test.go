package change_test

import (
	"testing"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
)

func TestTextThatReadsLikeAWordOfThePlatformIsTextAndComesBack(t *testing.T) {
	for _, word := range []string{"NONE", "AUTO"} {
		r := newRoad(t, &audit.Memory{})
		id := r.session(t, intervals.Patch{"name": word, "description": word})
		edit := change.EventEdit{ID: id, Today: "2026-07-15", Set: intervals.Patch{"name": "B", "description": "Easy"}}
		if p := r.asking(identity.ConfirmDestructive).do(t, change.Preview, edit); p.Summary == "" {
			t.Errorf("%s: %+v", word, p)
		}
		changed := r.do(t, change.Applied, edit)
		back := r.do(t, change.Applied, undo(t, changed.ChangeID))
		if name, text := back.State.Str("name"), back.State.Str("description"); name != word || text != word || len(back.Warnings) > 0 {
			t.Errorf("name %q and text %q, want %q; %v", name, text, word, back.Warnings)
		}
	}
}
