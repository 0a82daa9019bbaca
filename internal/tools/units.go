package tools

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"intervals-mcp/internal/intervals"
)

// Conversion factors (domain.md "Numbers").
const (
	metresPerMile = 1609.344
	metresPerYard = 0.9144
	metresPerFoot = 0.3048
	kgPerPound    = 0.45359237
)

// Units are how the athlete reads quantities: four separate settings of the
// profile. Structured results stay SI.
type Units struct {
	Miles      bool   // distance and climb in miles and feet
	Pounds     bool   // weight
	Fahrenheit bool   // temperature
	Wind       string // KMH, MPH, MPS, KNOTS, BFT
}

func newUnits(a intervals.Athlete) Units {
	u := Units{Miles: a.Str("measurement_preference") == "feet", Wind: a.Str("wind_speed")}
	u.Pounds, _ = a.Bool("weight_pref_lb")
	u.Fahrenheit, _ = a.Bool("fahrenheit")
	return u
}

// Distance words a distance given in metres; short ones and swims stay in
// metres (or yards).
func (u Units) Distance(m float64, sport string) string {
	swim := strings.Contains(sport, "Swim")
	switch {
	case u.Miles && swim:
		return round(m/metresPerYard, 0) + " yd"
	case u.Miles:
		return fixed(m/metresPerMile, 2) + " mi"
	case swim || m < 1000:
		return round(m, 0) + " m"
	case m < 10_000:
		return fixed(m/1000, 2) + " km"
	}
	return fixed(m/1000, 1) + " km"
}

// Climb words a height given in metres.
func (u Units) Climb(m float64) string {
	if u.Miles {
		return round(m/metresPerFoot, 0) + " ft"
	}
	return round(m, 0) + " m"
}

// Weight words a mass given in kg.
func (u Units) Weight(kg float64) string {
	if u.Pounds {
		return round(kg/kgPerPound, 1) + " lb"
	}
	return round(kg, 1) + " kg"
}

// Temperature words a temperature given in degrees Celsius.
func (u Units) Temperature(c float64) string {
	if u.Fahrenheit {
		return round(1.8*c+32, 0) + " °F"
	}
	return round(c, 1) + " °C"
}

// WindSpeed words a wind speed given in m/s.
func (u Units) WindSpeed(ms float64) string {
	switch u.Wind {
	case "MPH":
		return round(ms*3600/metresPerMile, 1) + " mph"
	case "MPS", "MS":
		return round(ms, 1) + " m/s"
	case "KNOTS", "KTS":
		return round(ms*3600/1852, 1) + " kn"
	case "BFT":
		return round(math.Cbrt(ms/0.836*ms/0.836), 0) + " Bft"
	}
	return round(ms*3.6, 1) + " km/h"
}

// Speed words a speed given in m/s.
func (u Units) Speed(ms float64) string {
	if u.Miles {
		return fixed(ms*3600/metresPerMile, 1) + " mph"
	}
	return fixed(ms*3.6, 1) + " km/h"
}

// paceUnits gives how a sport's pace is shown: the sport's own setting, else
// what its kind of sport usually has; "" when the sport has no pace.
func (p Profile) paceUnits(sport string) string {
	if s, ok := p.sport(sport); ok {
		switch u := s.Str("pace_units"); u {
		case "NONE":
			return ""
		case "":
		default:
			return u
		}
	}
	switch {
	case strings.Contains(sport, "Swim"):
		if p.Units.Miles {
			return "SECS_100Y"
		}
		return "SECS_100M"
	case strings.Contains(sport, "Rowing"):
		return "SECS_500M"
	case intervals.FootSport(sport):
		if p.Units.Miles {
			return "MINS_MILE"
		}
		return "MINS_KM"
	}
	return ""
}

// Pace words a speed given in m/s as a pace, rounded to the second; "" when
// there is no speed or the sport has no pace.
func Pace(ms float64, units string) string {
	per, suffix := 0.0, ""
	switch units {
	case "MINS_KM":
		per, suffix = 1000, "/km"
	case "MINS_MILE":
		per, suffix = metresPerMile, "/mi"
	case "SECS_100M":
		per, suffix = 100, "/100 m"
	case "SECS_100Y":
		per, suffix = 100*metresPerYard, "/100 y"
	case "SECS_500M":
		per, suffix = 500, "/500 m"
	case "SECS_400M":
		per, suffix = 400, "/400 m"
	case "SECS_250M":
		per, suffix = 250, "/250 m"
	}
	if per == 0 || !(ms > 0) {
		return ""
	}
	return minutes(per/ms) + suffix
}

// minutes writes seconds as m:ss, rounding first and then carrying.
func minutes(s float64) string {
	if math.Abs(s) >= beyond {
		return fixed(s, 0) + " s"
	}
	n := int64(math.Round(s))
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// Duration writes seconds as h:mm:ss, or m:ss under an hour.
func Duration(s float64) string {
	if math.Abs(s) >= beyond {
		return fixed(s, 0) + " s"
	}
	n := int64(math.Round(s))
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	if n < 3600 {
		return fmt.Sprintf("%s%d:%02d", sign, n/60, n%60)
	}
	return fmt.Sprintf("%s%d:%02d:%02d", sign, n/3600, n/60%60, n%60)
}

// round writes a number with at most that many decimals, none that are zero.
func round(v float64, decimals int) string {
	s := fixed(v, decimals)
	if strings.Contains(s, ".") && math.Abs(v) < beyond {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// fixed writes a number with exactly that many decimals; never "-0".
func fixed(v float64, decimals int) string {
	if math.Abs(v) >= beyond {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	s := strconv.FormatFloat(rounded(v, decimals), 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// beyond is where a number is none that a person or device measured: it is
// told in short, and never put through arithmetic that would overflow.
const beyond = 1e15

// rounded rounds half away from zero.
func rounded(v float64, decimals int) float64 {
	if math.Abs(v) >= beyond {
		return v
	}
	p := math.Pow10(decimals)
	return math.Round(v*p) / p
}

// field reads a number of an object for a structured result: nil when it is
// absent or null, never a false zero.
func field(o intervals.Object, key string, decimals int) *float64 {
	v, ok := o.Number(key)
	if !ok {
		return nil
	}
	v = rounded(v, decimals)
	return &v
}
