package fake

import (
	"slices"
	"testing"
)

func intervalRide() []Stream {
	return record(
		stretch{secs: 600, watts: 150, hr: 120, speed: 8, cadence: 80},
		stretch{secs: 480, watts: 279, hr: 165, speed: 9.4, cadence: 92, climb: 0.094, torque: 29},
		stretch{secs: 240, watts: 140, hr: 140, speed: 8, cadence: 80},
		stretch{secs: 480, watts: 281, hr: 168, speed: 9.4, cadence: 92},
	)
}

func TestAnIntervalIsAnalysedInTheApisUnits(t *testing.T) {
	got := analyse("Ride", intervalRide(), 600, 1080, rider(280), 70)
	checkKeys(t, got, Object{
		"start_index": 600.0, "end_index": 1080.0, "start_time": 600.0, "end_time": 1080.0,
		"moving_time": 480.0, "elapsed_time": 480.0, "distance": 4512.0, "average_speed": 9.4,
		"average_watts": 279.0, "weighted_average_watts": 279.0, "min_watts": 279.0, "max_watts": 279.0,
		"average_watts_kg": 279.0 / 70, "joules": 133920.0, "joules_above_ftp": 0.0, "intensity": 100.0,
		"training_load": 279.0 * 279 / 280 / 280 * 480 / 36, "zone": 4.0, "zone_min_watts": 253.0, "zone_max_watts": 294.0,
		"average_heartrate": 165.0, "average_cadence": 92.0, "average_torque": 29.0, "average_gradient": 0.00998,
		"decoupling": 0.0, "w5s_variability": 1.0, "type": absent, "id": absent, "average_stride": absent,
	})
	for key := range got {
		if !slices.Contains(allIntervalKeys, key) {
			t.Errorf("%s is no key of an Interval", key)
		}
	}
}

func TestIndexesAreNotSeconds(t *testing.T) {
	streams := record(stretch{secs: 60, watts: 200, speed: 8}, stretch{secs: 35, pause: true}, stretch{secs: 60, watts: 200, speed: 8})
	checkKeys(t, analyse("Ride", streams, 30, 90, rider(280), 0), Object{
		"start_index": 30.0, "end_index": 90.0, "start_time": 30.0, "end_time": 125.0,
		"elapsed_time": 95.0, "moving_time": 60.0, "joules": 12000.0, "average_watts_kg": absent,
	})
}

func TestIndexesOutsideTheStreamsAreCut(t *testing.T) {
	for _, c := range [][4]int{{-5, 10, 0, 10}, {1790, 99999, 1790, 1800}, {500, 100, 500, 500}, {99999, 99999, 1800, 1800}} {
		got := analyse("Ride", intervalRide(), c[0], c[1], rider(280), 70)
		if got["start_index"] != float64(c[2]) || got["end_index"] != float64(c[3]) {
			t.Errorf("%v: got %v to %v", c, got["start_index"], got["end_index"])
		}
	}
	analyse("Ride", nil, 0, 10, rider(280), 70)
}

func TestARunsZoneIsThatOfItsHeartRate(t *testing.T) {
	streams := without(record(stretch{secs: 300, hr: 160, speed: 3, cadence: 85}), "watts")
	checkKeys(t, analyse("Run", streams, 0, 300, runner(), 70), Object{"zone": 3.0, "zone_min_watts": absent, "average_stride": 3 / (85 * 2 / 60.0)})
}

func TestLikeEffortsFormAGroup(t *testing.T) {
	streams := intervalRide()
	var intervals []Object
	for _, cut := range []struct {
		start, end int
		kind       string
	}{{0, 600, "RECOVERY"}, {600, 1080, "WORK"}, {1080, 1320, "RECOVERY"}, {1320, 1800, "WORK"}} {
		one := analyse("Ride", streams, cut.start, cut.end, rider(280), 70)
		one["type"] = cut.kind
		intervals = append(intervals, one)
	}
	groups := groupIntervals(intervals)
	if len(groups) != 1 {
		t.Fatalf("got %d groups", len(groups))
	}
	checkKeys(t, groups[0], Object{
		"id": "480s@280w92rpm", "count": 2.0, "start_index": 600.0, "moving_time": 480.0, "average_watts": 280.0,
		"min_watts": 279.0, "max_watts": 281.0, "average_heartrate": 167.0,
	})
	for i, want := range []any{nil, "480s@280w92rpm", nil, "480s@280w92rpm"} {
		if intervals[i]["group_id"] != want {
			t.Errorf("interval %d is in group %v, want %v", i, intervals[i]["group_id"], want)
		}
	}
	for key := range groups[0] {
		if !slices.Contains(groupKeys, key) {
			t.Errorf("%s is no key of an IntervalGroup", key)
		}
	}
}

func TestALoneEffortIsNoGroup(t *testing.T) {
	for _, intervals := range [][]Object{nil, {{"type": "WORK", "moving_time": 300.0}}, {{"type": "WORK", "moving_time": 300.0}, {"type": "WORK", "moving_time": 600.0}}} {
		if got := groupIntervals(intervals); got == nil || len(got) != 0 {
			t.Errorf("got %v", got)
		}
	}
}
