package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	unitTime   = regexp.MustCompile(`^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m(?:in)?)?(?:(\d+(?:\.\d+)?)s)?$`)
	clockTime  = regexp.MustCompile(`^(\d{1,3}):([0-5]\d):([0-5]\d)$`)
	shortClock = regexp.MustCompile(`^(\d{1,3}):([0-5]?\d)$`)
	lengthText = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*(m|mtr|meters|metres|km|mi|miles|yd|y)?$`)
)

// readSeconds accepts a duration: seconds, "90m", "1h30m", "1:30:00". "1:30"
// could be two things and is refused with both.
func readSeconds(raw json.RawMessage) (json.RawMessage, error) {
	s, isText := asString(raw)
	if !isText {
		s = string(raw)
	}
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), " ", ""))
	secs, err := secondsOf(s)
	if err != nil {
		return nil, err
	}
	if secs < 1 || secs > 7*86400 {
		return nil, fmt.Errorf("must be from 1 second to 7 days")
	}
	return mustJSON(int64(math.Round(secs))), nil
}

func secondsOf(s string) (float64, error) {
	if n, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(n, 0) && !math.IsNaN(n) {
		return n, nil
	}
	if m := clockTime.FindStringSubmatch(s); m != nil {
		return 3600*atof(m[1]) + 60*atof(m[2]) + atof(m[3]), nil
	}
	if m := shortClock.FindStringSubmatch(s); m != nil {
		return 0, fmt.Errorf("%q can be %s h %s min or %s min %s s; write %sh%sm, %sm%ss or seconds", s, m[1], m[2], m[1], m[2], m[1], m[2], m[1], m[2])
	}
	if m := unitTime.FindStringSubmatch(s); m != nil && s != "" {
		return 3600*atof(m[1]) + 60*atof(m[2]) + atof(m[3]), nil
	}
	return 0, fmt.Errorf("must be a duration: seconds, 90m, 1h30m or 1:30:00")
}

func atof(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64) // matched as digits, or empty
	return f
}

// readMetres accepts a distance: metres, "10km", "6mi".
func readMetres(raw json.RawMessage) (json.RawMessage, error) {
	s, isText := asString(raw)
	if !isText {
		s = string(raw)
	}
	m := lengthText.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil {
		return nil, fmt.Errorf("must be a distance: metres, 10km or 6mi")
	}
	v := atof(m[1])
	switch m[2] {
	case "km":
		v *= 1000
	case "mi", "miles":
		v *= metresPerMile
	case "yd", "y":
		v *= metresPerYard
	}
	if v <= 0 || v > 5e6 {
		return nil, fmt.Errorf("must be above 0 and at most 5000 km")
	}
	return mustJSON(rounded(v, 2)), nil
}
