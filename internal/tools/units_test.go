package tools

import "testing"

func TestPacesAreRoundedToTheSecondAndThenCarried(t *testing.T) {
	for _, c := range []struct {
		ms    float64
		units string
		want  string
	}{
		{3.39, "MINS_KM", "4:55/km"}, {3.39, "MINS_MILE", "7:55/mi"}, {0.8333, "SECS_100M", "2:00/100 m"}, {0.8333, "SECS_100Y", "1:50/100 y"},
		{1000 / 299.6, "MINS_KM", "5:00/km"}, {500 / 119.7, "SECS_500M", "2:00/500 m"}, {4497.53 / 2179, "MINS_MILE", "13:00/mi"},
		{0, "MINS_KM", ""}, {3, "NONE", ""}, {3, "", ""},
	} {
		if got := Pace(c.ms, c.units); got != c.want {
			t.Errorf("Pace(%v, %s) = %q, want %q", c.ms, c.units, got, c.want)
		}
	}
}

func TestQuantitiesAreWordedInTheAthletesUnits(t *testing.T) {
	metric, imperial := Units{Wind: "KMH"}, Units{Miles: true, Pounds: true, Fahrenheit: true, Wind: "MPH"}
	for got, want := range map[string]string{
		metric.Distance(4497.53, "Run"): "4.50 km", imperial.Distance(4497.53, "Run"): "2.79 mi",
		metric.Distance(1500, "Swim"): "1500 m", imperial.Distance(914.4, "OpenWaterSwim"): "1000 yd",
		metric.Distance(53189.3, "Ride"): "53.2 km", metric.Distance(0, "Run"): "0 m",
		metric.Climb(512.4): "512 m", imperial.Climb(512): "1680 ft",
		metric.Weight(70.04): "70 kg", imperial.Weight(70): "154.3 lb",
		metric.Temperature(18.9): "18.9 °C", imperial.Temperature(20): "68 °F",
		metric.WindSpeed(2.2): "7.9 km/h", imperial.WindSpeed(2.2): "4.9 mph",
		metric.Speed(10): "36.0 km/h", imperial.Speed(10): "22.4 mph",
		Units{Wind: "KNOTS"}.WindSpeed(10): "19.4 kn", Units{Wind: "MPS"}.WindSpeed(2.25): "2.3 m/s", Units{Wind: "BFT"}.WindSpeed(9): "5 Bft",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDurationsAndNumbersNeverPrintNoise(t *testing.T) {
	for got, want := range map[string]string{
		Duration(6348): "1:45:48", Duration(59.6): "1:00", Duration(0): "0:00", Duration(3599.7): "1:00:00", Duration(-90): "-1:30",
		round(18.411747, 2): "18.41", round(70, 1): "70", fixed(-5.9631749, 1): "-6.0", fixed(-0.04, 1): "0.0", round(1.005, 1): "1",
		Duration(1e300): "1e+300 s", round(1e300, 1): "1e+300", round(1e20, 0): "1e+20", Pace(1e-300, "MINS_KM"): "1e+303 s/km",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
