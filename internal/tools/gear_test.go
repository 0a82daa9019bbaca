package tools

import (
	"fmt"
	"strings"
	"testing"

	"intervals-mcp/internal/intervals/fake"
)

func TestGearListNamesGearWithDistancesInTheAthletesUnits(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	text, out := w.ok(t, "get_gear_list", nil)
	if !strings.Contains(text, "Gear catalog for athlete i12345:") || !strings.Contains(text, "4215.3 km") {
		t.Errorf("text = %s", text)
	}
	if n := len(out["gear"].([]any)); n != 3 {
		t.Errorf("%d pieces of gear, want 3", n)
	}
}

func TestBAFailedGearListIsNotRememberedAsEmpty(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	w.fault(t, map[string]any{"path": "/gear", "status": 503, "times": 3}) // as often as a read is tried
	w.fails(t, "get_gear_list", nil, "Error fetching gear: ", "503")
	text, out := w.ok(t, "get_gear_list", nil)
	if n := len(out["gear"].([]any)); n != 3 || strings.Contains(text, "No gear found") {
		t.Errorf("%d pieces of gear: %s", n, text)
	}
}

func TestALongGearListComesInPagesAndEachPieceOnce(t *testing.T) {
	d := sampleData(t)
	d.Athletes[0].Gear = nil
	for i := range 700 {
		d.Athletes[0].Gear = append(d.Athletes[0].Gear, fake.Object{"id": fmt.Sprintf("b%d", i), "type": "Shoes", "name": strings.Repeat("long ", 20)})
	}
	w := newWorld(t, d, sampleNow)
	seen, args := map[string]bool{}, map[string]any{"limit": 500}
	for range 20 {
		text, out := w.ok(t, "get_gear_list", args)
		if len(text) > textBudget {
			t.Errorf("an answer of %d bytes", len(text))
		}
		for _, g := range records(out, "gear") {
			if id := g["id"].(string); seen[id] {
				t.Errorf("%s comes twice", id)
			} else {
				seen[id] = true
			}
		}
		if args["cursor"] = out["next_cursor"]; args["cursor"] == nil {
			break
		}
		says(t, text, "more pieces of gear: pass cursor")
	}
	if len(seen) != 700 {
		t.Errorf("%d pieces of gear, want 700", len(seen))
	}
	w.fails(t, "get_gear_list", map[string]any{"cursor": cursor{After: "gone", Args: fingerprint("gear", "")}.String()}, "no longer there")
}
