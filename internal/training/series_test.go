package training

import (
	"math"
	"testing"
)

func TestAPauseIsAGapAndItsSampleCountsOnlyForTheUsualStep(t *testing.T) {
	c := NewClock([]float64{0, 1, 2, 37, 38}, 5)
	if len(c.Gaps) != 1 || c.Gaps[0] != (Gap{2, 2, 37}) {
		t.Fatalf("gaps = %v", c.Gaps)
	}
	if got := c.Recorded(0, 5); got != 5 {
		t.Errorf("recorded = %v s, want 5", got)
	}
	s := c.Stats([]float64{100, 100, 100, 200, 200}, 0, 5)
	if s.Mean != 140 || s.Min != 100 || s.Max != 200 || s.Count != 5 {
		t.Errorf("stats = %+v", s)
	}
}

func TestTheMeanWeighsIrregularSamplesByTime(t *testing.T) {
	c := NewClock([]float64{0, 1, 2, 3, 7}, 5) // the fourth sample holds for 4 s
	if got := c.Stats([]float64{0, 0, 0, 80, 0}, 0, 5).Mean; got != 40 {
		t.Errorf("mean = %v, want 40", got)
	}
}

func TestMissingSamplesAreNoZeros(t *testing.T) {
	nan := math.NaN()
	c := NewClock(nil, 4)
	s := c.Stats([]float64{nan, 10, 0}, 0, 4)
	if s.Count != 2 || s.Missing != 2 || s.Mean != 5 || s.Min != 0 {
		t.Errorf("stats = %+v", s)
	}
	if s := c.Stats(nil, 0, 4); s.Count != 0 || !math.IsNaN(s.Mean) || !math.IsNaN(s.Min) {
		t.Errorf("stats of nothing = %+v", s)
	}
}

func TestAPointInsideAGapIsEmpty(t *testing.T) {
	times := []float64{0, 1, 2, 3, 4, 35, 36, 37, 38, 39}
	c := NewClock(times, len(times))
	shape := c.Shape(0, len(times), 4) // 10 s each
	got := shape.Means([]float64{1, 1, 1, 1, 1, 3, 3, 3, 3, 3})
	if got[0] != 1 || !math.IsNaN(got[1]) || !math.IsNaN(got[2]) || got[3] != 3 || shape.Width != 10 {
		t.Errorf("points = %v, width %v", got, shape.Width)
	}
	if got := shape.Lasts(times)[3]; got != 39 {
		t.Errorf("last = %v", got)
	}
}

func TestEverySampleOfAStretchIsInOnePoint(t *testing.T) {
	c := NewClock(nil, 1000)
	for _, n := range []int{1, 3, 7, 999, 1000, 5000} {
		seen := 0
		for _, r := range c.Shape(0, 1000, n).ranges {
			seen += r[1] - r[0]
		}
		if seen != 1000 {
			t.Errorf("%d points hold %d samples", n, seen)
		}
	}
	if lo, hi := c.Between(10, 20); lo != 10 || hi != 21 {
		t.Errorf("10-20 s = samples %d-%d", lo, hi)
	}
}

func TestTimesThatRunBackwardsOrAreMissingDoNotBreakTheClock(t *testing.T) {
	c := NewClock([]float64{5, math.NaN(), 4, 6}, 6)
	if c.Times[1] != 5 || c.Times[2] != 5 || c.Times[3] != 6 || c.Times[5] != 6 {
		t.Errorf("times = %v", c.Times)
	}
	if s := c.Stats([]float64{1, 1, 1, 1, 1, 1}, 0, 6); s.Mean != 1 {
		t.Errorf("mean = %v", s.Mean)
	}
	NewClock(nil, 0)
}
