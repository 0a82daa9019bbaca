package fake

import (
	"reflect"
	"testing"
)

func secsOf(zones []Object) map[string]float64 {
	out := map[string]float64{}
	for _, z := range zones {
		out[z["id"].(string)] = z["secs"].(float64)
	}
	return out
}

func TestPowerZonesEndAtWholeWatts(t *testing.T) {
	// FTP 280: Z1 to 154 W, Z2 155-210 W; the sweet spot is 235.2-271.6 W.
	for watts, want := range map[float64]string{0: "Z1", 154: "Z1", 154.4: "Z1", 155: "Z2", 210: "Z2", 211: "Z3", 421: "Z7", 9000: "Z7"} {
		for id, secs := range secsOf(powerZoneTimes(samples(0, 1), samples(watts, watts), rider(280))) {
			if (secs == 2) != (id == want) && id != "SS" {
				t.Errorf("%v W: %v s in %s, want all in %s", watts, secs, id, want)
			}
		}
	}
}

func TestTheSweetSpotOverlapsTheZones(t *testing.T) {
	got := secsOf(powerZoneTimes(samples(0, 1, 2, 3), samples(240, 270, 280, 100), rider(280)))
	want := map[string]float64{"Z1": 1, "Z2": 0, "Z3": 1, "Z4": 2, "Z5": 0, "Z6": 0, "Z7": 0, "SS": 2}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestHeartRateZonesBeginAtZeroAndTheLastIsOpen(t *testing.T) {
	got := hrZoneTimes(samples(0, 1, 2, 3, 4), samples(0, 60, 137, 138, 250), rider(280))
	if want := []float64{2, 1, 0, 0, 0, 0, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPaceZonesAreSharesOfThresholdSpeed(t *testing.T) {
	got := paceZoneTimes(samples(0, 1, 2, 3), samples(0, 0.7*3.3898, 3.3898*0.95, 5), runner())
	if want := []float64{1, 0, 0, 1, 0, 0, 1}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestZoneTimesLeavePausesOut(t *testing.T) {
	got := hrZoneTimes(samples(0, 1, 100, 102, 103), samples(100, 100, 100, 100, 100), rider(280))
	if got[0] != 6 {
		t.Errorf("got %v s, want 6: four samples of a second and one of two", got[0])
	}
}

func TestSportsWithoutZonesHaveNoZoneTimes(t *testing.T) {
	one := samples(1)
	if powerZoneTimes(one, one, runner()) != nil || powerZoneTimes(one, nil, rider(280)) != nil ||
		hrZoneTimes(one, one, thresholds{}) != nil || paceZoneTimes(one, one, rider(280)) != nil {
		t.Error("zone times without zones or samples")
	}
}
