package change_test

import (
	"strings"
	"testing"

	"intervals-mcp/internal/change"
)

func TestAReasonThatStandsByItselfBeginsWithACapital(t *testing.T) {
	for reason, want := range map[string]string{
		"the summary is not the preview's.": "The summary is not the preview's.",
		"über 3 objects":                    "Über 3 objects",
		"list_changes lists them.":          "list_changes lists them.",
		"1 to 5 changes can be undone.":     "1 to 5 changes can be undone.",
		"Look again.":                       "Look again.", "": "",
	} {
		if got := change.Sentence(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
	r := change.Result{Status: change.RefusedNow, Summary: "Delete nothing", Reason: "the coach locked it."}
	if got := r.Text(); !strings.Contains(got, "\nThe coach locked it.") || r.Reason != "the coach locked it." {
		t.Errorf("%q, %q", got, r.Reason)
	}
}
