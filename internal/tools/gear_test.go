package tools

import (
	"strings"
	"testing"
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
