package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"
)

// bigDay is the day on which the large data set's clock stands.
const bigDay = "2026-07-15"

// writeBig writes a data set with the sizes that design.md names: a year of
// daily activities, a 5-hour ride at 1 Hz with 12 streams, an hour's ride, 3
// years of wellness.
func writeBig(path string) error {
	today, err := time.Parse("2006-01-02", bigDay)
	if err != nil {
		return err
	}
	var activities []map[string]any
	for d := range 365 {
		day := today.AddDate(0, 0, -d)
		activities = append(activities, map[string]any{
			"id": fmt.Sprintf("i%d", 700000+d), "icu_athlete_id": "i1", "type": "Ride", "name": fmt.Sprintf("Ride %d", d),
			"start_date_local": day.Format("2006-01-02") + "T07:30:00", "start_date": day.Format("2006-01-02") + "T06:30:00Z",
			"distance": 40000 + d, "moving_time": 5400, "elapsed_time": 5600, "icu_training_load": 60 + d%40,
			"icu_average_watts": 190, "icu_weighted_avg_watts": 205, "average_heartrate": 140, "max_heartrate": 171, "source": "UPLOAD",
		})
	}
	streams := map[string]any{
		"i700001": streamRows(5*3600, 12),
		"i700002": streamRows(3600, 7),
	}
	var wellness []map[string]any
	for d := range 3 * 365 {
		wellness = append(wellness, map[string]any{
			"id": today.AddDate(0, 0, -d).Format("2006-01-02"), "weight": 70.1, "restingHR": 48 + d%5, "hrv": 60 + d%9,
			"sleepSecs": 27000, "sleepQuality": 2, "soreness": 2, "fatigue": 2, "stress": 1, "mood": 2, "steps": 9000 + d,
		})
	}
	b, err := json.Marshal(map[string]any{"today": bigDay, "athletes": []any{map[string]any{
		"athlete":        map[string]any{"id": "i1", "name": "Bench", "timezone": "Europe/London", "measurement_preference": "meters"},
		"api_key":        "bench-key-1",
		"sport_settings": []any{map[string]any{"id": 1, "types": []string{"Ride"}, "ftp": 250, "lthr": 165, "max_hr": 188}},
		"activities":     activities, "streams": streams, "wellness": wellness,
	}}})
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o600)
}

func streamRows(seconds, n int) []any {
	types := []string{"time", "watts", "heartrate", "cadence", "altitude", "distance", "velocity_smooth", "temp", "torque", "grade_smooth", "left_right_balance", "respiration"}
	rows := make([]any, n)
	for i, name := range types[:n] {
		data := make([]any, seconds)
		for s := range data {
			wave := math.Sin(float64(s)/(20+float64(i))) + math.Sin(float64(s)/611)
			switch name {
			case "time":
				data[s] = s
			case "distance":
				data[s] = math.Round(float64(s)*83) / 10
			case "velocity_smooth", "altitude", "grade_smooth", "torque":
				data[s] = math.Round(100*(8+wave)) / 100
			default:
				data[s] = math.Round(150 + 40*wave)
			}
		}
		rows[i] = map[string]any{"type": name, "data": data}
	}
	return rows
}
