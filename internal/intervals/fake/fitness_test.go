package fake

import "testing"

func TestFitnessFollowsThePublishedDays(t *testing.T) {
	var days []struct{ CTL, ATL, CTLLoad, ATLLoad float64 }
	readJSON(t, "testdata/wellness_list.json", &days)
	if len(days) < 10 {
		t.Fatalf("only %d days", len(days))
	}
	for i := 1; i < len(days); i++ {
		prev, day := days[i-1], days[i]
		got := nextDay(fitnessDay{prev.CTL, prev.ATL}, day.CTLLoad, day.ATLLoad, 42, 7)
		if !near(got.CTL, day.CTL, 2e-5) || !near(got.ATL, day.ATL, 2e-5) {
			t.Errorf("day %d: got %v, want %v, %v", i, got, day.CTL, day.ATL)
		}
	}
}

func TestFitnessWithoutDaysUsesThePlatforms(t *testing.T) {
	prev := fitnessDay{50, 60}
	if nextDay(prev, 10, 20, 0, 0) != nextDay(prev, 10, 20, 42, 7) {
		t.Error("0 days are not 42 and 7")
	}
}

func TestFitnessConvergesOnASteadyLoad(t *testing.T) {
	day := fitnessDay{}
	for range 1000 {
		day = nextDay(day, 60, 60, 42, 7)
	}
	if !near(day.CTL, 60, 1e-6) || !near(day.ATL, 60, 1e-6) {
		t.Error(day)
	}
}
