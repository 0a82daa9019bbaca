package fake

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// samples makes a column of numbers; NaN stands for null.
func samples(values ...float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			out[i] = &values[i]
		}
	}
	return out
}

// randomStream is a recording with pauses, slow stretches and nulls.
func randomStream(r *rand.Rand, n int) (times, data []*float64) {
	at := 0.0
	var seconds, values []float64
	for range n {
		v := float64(r.IntN(400))
		if r.IntN(20) == 0 {
			v = math.NaN()
		}
		seconds, values = append(seconds, at), append(values, v)
		switch r.IntN(15) {
		case 0:
			at += float64(7 + r.IntN(40)) // a pause
		case 1:
			at += float64(2 + r.IntN(3)) // a slow sensor
		default:
			at++
		}
	}
	return samples(seconds...), samples(values...)
}

// slowBest is bestMeans by definition, second by second.
func slowBest(times, data []*float64, secs int) (float64, bool) {
	var seconds []*float64 // nil in a pause
	null := new(float64)
	for i := range times {
		length, held := 1, 1
		if i+1 < len(times) {
			length = int(*times[i+1] - *times[i])
			if held = length; length > 5 {
				held = 1
			}
		}
		for k := range length {
			switch {
			case k >= held:
				seconds = append(seconds, nil)
			case data[i] == nil:
				seconds = append(seconds, null)
			default:
				seconds = append(seconds, data[i])
			}
		}
	}
	best := math.Inf(-1)
	for from := 0; from+secs <= len(seconds); from++ {
		sum, present := 0.0, secs
		for _, v := range seconds[from : from+secs] {
			switch v {
			case nil:
			case null:
				present--
			default:
				sum += *v
			}
		}
		if 2*present >= secs {
			best = math.Max(best, sum/float64(present))
		}
	}
	return best, !math.IsInf(best, -1)
}

func TestBestMeansAreThoseOfEverySingleWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		times, data := randomStream(r, 60+r.IntN(100))
		secs := curveSecs(400)
		points := bestMeans(times, data, secs)
		for _, s := range secs {
			i := slices.IndexFunc(points, func(p curvePoint) bool { return p.Key == s })
			want, ok := slowBest(times, data, s)
			if ok != (i >= 0) {
				t.Fatalf("%d s: found %v, want %v", s, i >= 0, ok)
			}
			if ok && !near(points[i].Value, want, 1e-9) {
				t.Fatalf("%d s: got %v, want %v", s, points[i].Value, want)
			}
		}
	}
}

func TestBestMeansDoNotDependOnUnitsOrTheHour(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	times, data := randomStream(r, 500)
	later, scaled := make([]*float64, len(times)), make([]*float64, len(data))
	for i := range times {
		later[i] = new(*times[i] + 3600)
		if data[i] != nil {
			scaled[i] = new(*data[i] * 8)
		}
	}
	secs := curveSecs(600)
	plain, other := bestMeans(times, data, secs), bestMeans(later, scaled, secs)
	if len(plain) != len(other) {
		t.Fatal(len(plain), len(other))
	}
	for i, p := range plain {
		q := other[i]
		if p.Key != q.Key || p.Start != q.Start || p.End != q.End || !near(8*p.Value, q.Value, 1e-9) {
			t.Errorf("%v became %v", p, q)
		}
	}
}

func TestAPauseCountsAsElapsedSeconds(t *testing.T) {
	// Ten seconds at 300 W, a pause of twenty, ten more.
	var times, watts []float64
	for i := range 10 {
		times, watts = append(times, float64(i)), append(watts, 300)
	}
	for i := range 10 {
		times, watts = append(times, float64(30+i)), append(watts, 300)
	}
	got := bestMeans(samples(times...), samples(watts...), []int{5, 10, 20, 40, 41})
	want := []curvePoint{{5, 300, 0, 5}, {10, 300, 0, 10}, {20, 150, 0, 10}, {40, 150, 0, 20}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNullsAreSkippedNotCountedAsZero(t *testing.T) {
	null := math.NaN()
	times := samples(0, 1, 2, 3, 4, 5, 6, 7)
	got := bestMeans(times, samples(150, 150, null, 150, null, null, null, null), []int{4, 8})
	want := []curvePoint{{4, 150, 0, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: eight seconds hold too few values", got, want)
	}
}

func TestSlowSensorsWeighByTime(t *testing.T) {
	// A sample every four seconds: four seconds each.
	got := bestMeans(samples(0, 4, 8, 12), samples(100, 200, 300, 100), []int{4, 8, 16, 17})
	want := []curvePoint{{4, 300, 2, 3}, {8, 250, 1, 3}, {16, 175, 0, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCurvesMayRiseWithDuration(t *testing.T) {
	got := bestMeans(nil, samples(100, 400, 100, 400, 100), []int{2, 3})
	if got[0].Value != 250 || got[1].Value != 300 {
		t.Error(got)
	}
}

func TestBrokenTimeStreamsAreSurvived(t *testing.T) {
	null := math.NaN()
	for name, times := range map[string][]*float64{
		"none":     nil,
		"short":    samples(0, 1),
		"nulls":    samples(null, 1, null, 3),
		"backward": samples(5, 4, 3, 2),
		"standing": samples(1, 1, 1, 1),
		"far":      samples(0, 1, 1e12, 1e300),
		"long":     samples(0, 1, 9e8, 9.5e8),
	} {
		data := samples(100, 200, 300, 400)
		points := bestMeans(times, data, []int{1, 2, 3, 100})
		for _, p := range points {
			if p.Start < 0 || p.End > 4 || p.Start >= p.End || math.IsNaN(p.Value) {
				t.Errorf("%s: %v", name, p)
			}
		}
		bestPaces(times, data, []int{100})
		summarise("Ride", []Stream{{Type: "time", Data: times}, {Type: "watts", Data: data}, {Type: "heartrate", Data: data}}, rider(280))
	}
	if got := bestMeans(nil, nil, []int{1}); len(got) != 0 {
		t.Error(got)
	}
}

func TestCurvesAreAsDenseAsThePlatforms(t *testing.T) {
	secs := curveSecs(75 * 60)
	if len(secs) != 153 {
		t.Errorf("75 minutes have %d durations, want 153 (API.md 2.3)", len(secs))
	}
	for _, s := range []int{1, 5, 15, 30, 60, 120, 300, 480, 600, 1200, 3600} {
		if !slices.Contains(secs, s) {
			t.Errorf("%d s is missing", s)
		}
	}
	if len(curveSecs(0)) != 0 || !slices.IsSorted(curveSecs(100000)) {
		t.Error("bad ends")
	}
}

// slowPace is bestPaces by definition, with windows a centimetre apart.
func slowPace(at, gone []float64, metres float64) float64 {
	when := func(d float64) float64 {
		i, _ := slices.BinarySearch(gone, d)
		if i == 0 {
			return at[0]
		}
		if i == len(gone) {
			return at[len(at)-1]
		}
		return at[i-1] + (at[i]-at[i-1])*(d-gone[i-1])/(gone[i]-gone[i-1])
	}
	best := math.Inf(1)
	for d := gone[0]; d+metres <= gone[len(gone)-1]; d += 0.01 {
		best = math.Min(best, when(d+metres)-when(d))
	}
	return best
}

func TestBestPacesAreThoseOfEverySingleWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		at, gone := []float64{0}, []float64{0}
		for i := range 80 {
			step := 1 + float64(r.IntN(3))
			if r.IntN(15) == 0 {
				step = 30
			}
			at, gone = append(at, at[i]+step), append(gone, gone[i]+1+5*r.Float64())
		}
		for _, p := range bestPaces(samples(at...), samples(gone...), []int{25, 50, 100, 200}) {
			if want := slowPace(at, gone, float64(p.Key)); p.Value > want+1e-9 || p.Value < want-0.1 {
				t.Fatalf("%d m: got %v, want %v", p.Key, p.Value, want)
			}
		}
	}
}

func TestSteadyPaceGivesDistanceOverSpeed(t *testing.T) {
	var times, metres []float64
	for i := range 2000 {
		times, metres = append(times, float64(i)), append(metres, 4*float64(i))
	}
	got := bestPaces(samples(times...), samples(metres...), paceDistances("Run"))
	if len(got) != 10 {
		t.Fatalf("got %v", got)
	}
	for _, p := range got {
		if !near(p.Value, paceMetres(p.Key)/4, 1e-9) {
			t.Errorf("%d m took %v s", p.Key, p.Value)
		}
	}
	if paceDistances("WeightTraining") != nil {
		t.Error("strength has a pace curve")
	}
}

func BenchmarkBestMeans(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	var times, watts, holed []float64
	for i := range 5400 {
		times, watts, holed = append(times, float64(i)), append(watts, float64(r.IntN(400))), append(holed, float64(r.IntN(400)))
	}
	holed[100] = math.NaN()
	secs := curveSecs(4200)
	for name, data := range map[string][]*float64{"whole": samples(watts...), "with nulls": samples(holed...)} {
		at := samples(times...)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				bestMeans(at, data, secs)
			}
		})
	}
}
