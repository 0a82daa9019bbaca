package tools

import "strings"

// streamKind is how the samples of one stream are given (API.md 2.3).
type streamKind struct {
	unit string // of the structured numbers
	q    func(voice) quantity
	// grows marks a stream that only rises: a mean says nothing of it.
	grows bool
}

// streamKindOf gives a stream's unit; what is unknown, such as custom streams,
// is passed on as plain numbers.
func streamKindOf(name string, v voice) streamKind {
	switch name {
	case "time":
		return streamKind{"s", asDuration, true}
	case "distance":
		return streamKind{"m", asWay, true}
	case "watts", "raw_watts", "fixed_watts", "watts_alt":
		return streamKind{"W", asWatts, false}
	case "heartrate", "raw_heartrate", "fixed_heartrate":
		return streamKind{"bpm", asBeats, false}
	case "cadence":
		return streamKind{asCadence(v).unit, asCadence, false}
	case "altitude", "fixed_altitude":
		return streamKind{"m", asHeight, false}
	case "velocity_smooth", "ga_velocity":
		if v.pace != "" {
			return streamKind{"m/s", asPace, false}
		}
		return streamKind{"m/s", asSpeed, false}
	case "temp", "core_temperature", "skin_temperature":
		return streamKind{"C", asTemperature, false}
	case "grade_smooth", "smo2", "smo2_2", "left_right_balance":
		return streamKind{"%", asPercent, false}
	case "torque":
		return streamKind{"Nm", asTorque, false}
	case "w_bal":
		return streamKind{"kJ", asKilojoules, false}
	case "respiration":
		return streamKind{"/min", asPerMinute, false}
	case "stride_length":
		return streamKind{"m", asStride, false}
	case "bloodglucose":
		return streamKind{"", asTenths, false}
	}
	if strings.HasSuffix(name, "_smoothness") || strings.HasSuffix(name, "_effectiveness") {
		return streamKind{"%", asPercent, false}
	}
	return streamKind{"", asRatio, false}
}

// asWay gives a distance along the way, always in the long unit, so that one
// series has one unit.
func asWay(v voice) quantity {
	q := quantity{unit: "m", decimals: 1}
	per, shown := 1000.0, " km"
	switch swim := strings.Contains(v.sport, "Swim"); {
	case v.Miles && swim:
		per, shown = metresPerYard, " yd"
	case v.Miles:
		per, shown = metresPerMile, " mi"
	case swim:
		per, shown = 1, " m"
	}
	q.say = func(m float64) string { return round(m/per, 2) + shown }
	return q
}

// numberAndUnit takes what a quantity says apart: "202 W", "5:12/km".
func numberAndUnit(said string) (number, unit string) {
	if n, unit, ok := strings.Cut(said, " "); ok && !strings.Contains(n, "/") {
		return n, unit
	}
	if n, _, ok := strings.Cut(said, "/"); ok {
		return n, said[len(n):]
	}
	return said, ""
}
