package tools

import (
	"cmp"
	"fmt"
	"strings"

	"intervals-mcp/internal/intervals"
)

// custom gives the athlete's own activity fields, by code (API.md 2.8).
func (w activityView) custom() facts {
	var f facts
	for _, item := range w.p.Items {
		content, _ := item.Object.Object("content")
		code := content.Str("code")
		if item.Str("type") == "ACTIVITY_FIELD" && code != "" && w.a.Has(code) {
			f.add(code, w.a.Value(code))
		}
	}
	return f
}

func (w activityView) customLabel(code string) string {
	for _, item := range w.p.Items {
		if content, _ := item.Object.Object("content"); content.Str("code") == code {
			return intervals.Clean(cmp.Or(item.Str("name"), code), 60)
		}
	}
	return code
}

// spoken tells which of the API's keys an answer shows in its own way.
func (w activityView) spoken() func(string) bool {
	keys := map[string]bool{"icu_athlete_id": true, "pace_zones": true, "threshold_pace": true}
	for _, key := range strings.Fields(`id name type start_date_local timezone description feel trainer interval_summary tags
		paired_event_id compliance device_name power_meter file_type gear gear_id icu_zone_times icu_hr_zone_times
		pace_zone_times icu_power_zones icu_hr_zones`) {
		keys[key] = true
	}
	for _, s := range activitySections {
		for _, m := range s.metrics {
			for _, key := range m.from {
				if w.a.Has(key) {
					keys[key] = true
					break // the other names of the number are fields of their own
				}
			}
		}
	}
	for _, c := range w.custom() {
		keys[c.key] = true
	}
	return func(key string) bool { return keys[key] }
}

// cutLines keeps the lines that fit and says how many do not.
func cutLines(lines []string, budget int) []string {
	for i, l := range lines {
		if budget -= len(l) + 1; budget < 0 {
			return append(lines[:i:i], fmt.Sprintf("(%d more fields are in the structured result only)", len(lines)-i))
		}
	}
	return lines
}

// plain is foreign text of several lines for a structured result: its lines
// kept, control characters gone, cut at limit runes.
func plain(s string, limit int) string {
	var lines []string
	for line := range strings.Lines(s) {
		if limit <= 0 {
			break
		}
		clean := intervals.Clean(line, limit)
		limit -= len([]rune(clean)) + 1
		lines = append(lines, clean)
	}
	return strings.Join(lines, "\n")
}
