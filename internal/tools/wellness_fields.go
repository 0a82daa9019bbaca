package tools

import (
	"strings"

	"intervals-mcp/internal/intervals"
)

// section is a group of wellness fields; its label is the reference server's.
type section int

const (
	trainingMetrics section = iota
	sportInfo
	vitalSigns
	sleepRecovery
	menstrual
	feelings
	nutrition
	activityCount
	sections // how many there are
)

var sectionLabels = [sections]string{"Training Metrics", "Sport-Specific Info", "Vital Signs", "Sleep & Recovery",
	"Menstrual Tracking", "Subjective Feelings", "Nutrition & Hydration", "Activity"}

// wellnessField says how one number of a record is shown (API.md 5).
type wellnessField struct {
	section  section
	key      string // upstream
	name     string // in the structured result, unit included
	label    string // in text
	unit     string // in text, after the number; the usual ones stand in the header line
	decimals int
	always   bool // show the decimals even when they are zero
	scale    *scale
}

// neverZero reports what a living body cannot have none of, and scales, which
// begin at 1: a zero there is a device's way to say that nothing was measured.
func (f *wellnessField) neverZero() bool {
	return f.section == vitalSigns || f.key == "sleepSecs" || f.scale != nil
}

// scale names the steps 1 to 4 of an answer, 1 the best (domain.md "Scales").
type scale [4]string

func (s *scale) word(v float64) string {
	if s == nil || v != float64(int(v)) || v < 1 || v > 4 {
		return "" // not a step that the platform has: the number stands alone
	}
	return s[int(v)-1]
}

var (
	strain       = &scale{"low", "average", "high", "extreme"}
	sleepWords   = &scale{"great", "good", "average", "poor"}
	moodWords    = &scale{"great", "good", "ok", "grumpy"}
	driveWords   = &scale{"extreme", "high", "average", "low"}
	injuryWords  = &scale{"none", "niggle", "poor", "injured"}
	hydrateWords = &scale{"good", "ok", "poor", "bad"}
)

// wellnessFields are the plain numbers in the order in which they are shown.
// Form, weight, sleep, blood pressure and texts are made in wellness_day.go.
var wellnessFields = []wellnessField{
	{trainingMetrics, "ctl", "ctl", "CTL", "", 1, true, nil},
	{trainingMetrics, "atl", "atl", "ATL", "", 1, true, nil},
	{trainingMetrics, formKey, "form", "form", "", 1, true, nil},
	{trainingMetrics, "rampRate", "ramp_rate", "ramp", "", 1, true, nil},
	{trainingMetrics, "ctlLoad", "ctl_load", "load", "", 0, false, nil},
	{trainingMetrics, "atlLoad", "atl_load", "ATL load", "", 0, false, nil},
	{vitalSigns, "weight", "weight_kg", "weight", "", 1, false, nil},
	{vitalSigns, "restingHR", "resting_hr_bpm", "resting HR", "", 0, false, nil},
	{vitalSigns, "hrv", "hrv_ms", "HRV", "", 1, false, nil},
	{vitalSigns, "hrvSDNN", "hrv_sdnn_ms", "SDNN", "", 1, false, nil},
	{vitalSigns, "avgSleepingHR", "avg_sleeping_hr_bpm", "sleeping HR", "", 0, false, nil},
	{vitalSigns, "spO2", "spo2_percent", "SpO2", " %", 1, false, nil},
	{vitalSigns, "systolic", "systolic_mmhg", "blood pressure", " mmHg", 0, false, nil},
	{vitalSigns, "respiration", "respiration_per_min", "breaths", "", 1, false, nil},
	{vitalSigns, "bloodGlucose", "blood_glucose_mmol_l", "blood glucose", " mmol/L", 1, false, nil},
	{vitalSigns, "lactate", "lactate_mmol_l", "lactate", " mmol/L", 1, false, nil},
	{vitalSigns, "vo2max", "vo2max_ml_kg_min", "VO2max", "", 1, false, nil},
	{vitalSigns, "bodyFat", "body_fat_percent", "body fat", " %", 1, false, nil},
	{vitalSigns, "abdomen", "abdomen_cm", "abdomen", " cm", 1, false, nil},
	{vitalSigns, "baevskySI", "baevsky_si", "Baevsky SI", "", 1, false, nil},
	{sleepRecovery, "sleepSecs", "sleep_s", "", "", 0, false, nil},
	{sleepRecovery, "sleepQuality", "sleep_quality", "quality", "", 0, false, sleepWords},
	{sleepRecovery, "sleepScore", "sleep_score", "score", "/100", 0, false, nil},
	{sleepRecovery, "readiness", "readiness", "readiness", "/100", 0, false, nil},
	{feelings, "fatigue", "feeling_fatigue", "feeling fatigue", "", 0, false, strain},
	{feelings, "soreness", "soreness", "soreness", "", 0, false, strain},
	{feelings, "stress", "stress", "stress", "", 0, false, strain},
	{feelings, "mood", "mood", "mood", "", 0, false, moodWords},
	{feelings, "motivation", "motivation", "motivation", "", 0, false, driveWords},
	{feelings, "injury", "injury", "injury", "", 0, false, injuryWords},
	{nutrition, "kcalConsumed", "kcal_consumed", "", " kcal", 0, false, nil},
	{nutrition, "carbohydrates", "carbohydrates_g", "carbs", " g", 0, false, nil},
	{nutrition, "protein", "protein_g", "protein", " g", 0, false, nil},
	{nutrition, "fatTotal", "fat_total_g", "fat", " g", 0, false, nil},
	{nutrition, "hydrationVolume", "hydration_volume_l", "drunk", " l", 1, false, nil},
	{nutrition, "hydration", "hydration", "hydration", "", 0, false, hydrateWords},
	{activityCount, "steps", "steps", "", " steps", 0, false, nil},
}

// formKey stands for the one field that upstream does not store.
const formKey = "\x00form"

// wellnessKnown reports whether a key is shown in its own way, or says nothing
// by itself: the rest is custom fields and "Other Fields:".
func wellnessKnown(key string) bool {
	switch key {
	case "id", "date", "updated", "tempWeight", "tempRestingHR", "sportInfo", "menstrualPhase", "menstrualPhasePredicted",
		"comments", "locked", "diastolic", "sleepHours":
		return true
	}
	for i := range wellnessFields {
		if wellnessFields[i].key == key {
			return true
		}
	}
	return false
}

// customFields maps the codes of the athlete's own wellness fields to their
// names (API.md 2.8). Names are untrusted text.
func customFields(items []intervals.CustomItem) map[string]string {
	names := map[string]string{}
	for _, item := range items {
		if item.Str("type") != "INPUT_FIELD" {
			continue
		}
		if content, ok := item.Object.Object("content"); ok {
			if code := content.Str("code"); code != "" {
				names[code] = item.Str("name")
			}
		}
	}
	return names
}

// withoutPrivate removes what the athlete keeps to themselves from a record of
// wellness, an activity or a lap, along with what would tell of it.
func withoutPrivate(o intervals.Object, private []string) intervals.Object {
	for _, key := range private {
		switch key {
		case "weight":
			o = o.Without(key, "tempWeight", "icu_weight", "average_watts_kg", "max_watts_kg")
		case "restingHR":
			o = o.Without(key, "tempRestingHR", "icu_resting_hr")
		case "sleepSecs", "sleepHours":
			o = o.Without("sleepSecs", "sleepHours")
		case "systolic", "diastolic":
			o = o.Without("systolic", "diastolic")
		case "menstrualPhase", "menstrualPhasePredicted":
			o = o.Without("menstrualPhase", "menstrualPhasePredicted")
		default:
			o = o.Without(strings.TrimSpace(key))
		}
	}
	return o
}
