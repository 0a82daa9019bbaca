package fake

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestDemoHasEverythingThatTestsStandOn names what the demo data must hold.
func TestDemoHasEverythingThatTestsStandOn(t *testing.T) {
	set := demoOnce()
	me, kiwi, surfer, coach, outsider := set.Athletes[0], set.Athletes[1], set.Athletes[2], set.Athletes[3], set.Athletes[4]
	today := "2026-12-02"
	activity := func(a AthleteData, is func(Object) bool) bool { return slices.ContainsFunc(a.Activities, is) }
	event := func(a AthleteData, is func(Object) bool) bool { return slices.ContainsFunc(a.Events, is) }
	wellness := func(a AthleteData, is func(Object) bool) bool { return slices.ContainsFunc(a.Wellness, is) }
	recent := func(o Object) bool { return text(o, "start_date_local") > "2026-10-10" }
	category := func(name string, future bool) bool {
		return event(me, func(e Object) bool {
			return e["category"] == name && (text(e, "start_date_local") > today) == future
		})
	}
	month := func(a AthleteData, mm string) float64 {
		sum, n := 0.0, 0.0
		for _, o := range a.Activities {
			if v, ok := number(o, "average_temp"); ok && o["type"] == "Run" && text(o, "start_date_local")[5:7] == mm {
				sum, n = sum+v, n+1
			}
		}
		return sum / n
	}
	sameDay := map[string]int{}
	for _, e := range me.Events {
		if e["category"] == "WORKOUT" && slices.Contains(texts(e["tags"]), "brick") {
			sameDay[text(e, "start_date_local")[:10]]++
		}
	}
	for name, holds := range map[string]bool{
		"a hidden Strava activity with a load": activity(me, func(o Object) bool {
			return recent(o) && o["source"] == "STRAVA" && numberOr0(o, "icu_training_load") > 0 && !strings.HasPrefix(text(o, "id"), "i")
		}),
		"an activity without a name":    activity(me, func(o Object) bool { return recent(o) && o["name"] == nil }),
		"an activity called Unnamed":    activity(me, func(o Object) bool { return recent(o) && o["name"] == "Unnamed" }),
		"a manual activity":             activity(me, func(o Object) bool { return recent(o) && o["source"] == "MANUAL" }),
		"hostile text with controls":    activity(me, func(o Object) bool { return recent(o) && hasControls(text(o, "description")) }),
		"pauses":                        activity(me, func(o Object) bool { return recent(o) && o["recording_stops"] != nil }),
		"a pool":                        activity(me, func(o Object) bool { return recent(o) && o["pool_length"] == 25.0 }),
		"an indoor ride with lower FTP": activity(me, func(o Object) bool { return recent(o) && o["trainer"] == true && o["icu_ftp"] == 260.0 }),
		"a race":                        activity(me, func(o Object) bool { return o["race"] == true }),
		"a custom activity field":       activity(me, func(o Object) bool { return recent(o) && o["CarbsPerHour"] != nil }),
		"an activity abroad":            activity(me, func(o Object) bool { return o["timezone"] == "Atlantic/Canary" }),
		"tags":                          activity(me, func(o Object) bool { return recent(o) && o["tags"] != nil }),
		"messages":                      len(me.Messages) > 3,
		"a custom wellness field":       wellness(me, func(o Object) bool { return o["WhoopStrain"] != nil }),
		"a weight carried over":         wellness(me, func(o Object) bool { return o["tempWeight"] == true && o["weight"] != nil }),
		"a day without hrv":             wellness(me, func(o Object) bool { return o["hrv"] == nil }),
		"days without a record":         len(me.Wellness) < 730 && len(me.Wellness) > 600,
		"a comment":                     wellness(me, func(o Object) bool { return o["comments"] != nil }),
		"a private wellness field":      wellness(kiwi, func(o Object) bool { return o["menstrualPhase"] != nil }),
		"an A race to come":             category("RACE_A", true),
		"an A race behind":              category("RACE_A", false),
		"a B race to come":              category("RACE_B", true),
		"a C race to come":              category("RACE_C", true),
		"a sickness":                    category("SICK", false),
		"a holiday behind":              category("HOLIDAY", false),
		"a holiday to come":             category("HOLIDAY", true),
		"a season":                      category("SEASON_START", false),
		"a target to come":              category("TARGET", true),
		"a planned workout":             category("WORKOUT", true),
		"a note for the week":           event(me, func(e Object) bool { return e["category"] == "NOTE" && e["for_week"] == true }),
		"an event with a time of day": event(me, func(e Object) bool {
			return !strings.HasSuffix(text(e, "start_date_local"), "T00:00:00") && text(e, "start_date_local") > today
		}),
		"a brick":                         len(sameDay) > 0,
		"a hidden event":                  event(kiwi, func(e Object) bool { return e["hide_from_athlete"] == true }),
		"an injury":                       event(kiwi, func(e Object) bool { return e["category"] == "INJURED" }),
		"retired gear":                    slices.ContainsFunc(me.Gear, func(g Object) bool { return g["retired"] != nil }),
		"a gear reminder":                 slices.ContainsFunc(me.Gear, func(g Object) bool { return len(objects(g["reminders"])) > 0 && g["type"] == "Chain" }),
		"many types of custom items":      len(me.CustomItems) >= 8,
		"a workout library":               len(me.Folders) == 2,
		"summer in January in the south":  month(kiwi, "01") > month(kiwi, "07")+4,
		"summer in July in the north":     month(me, "07") > month(me, "01")+8,
		"feet, pounds and Fahrenheit":     kiwi.Athlete["measurement_preference"] == "feet" && kiwi.Athlete["weight_pref_lb"] == true && kiwi.Athlete["fahrenheit"] == true && kiwi.Athlete["wind_speed"] == "MPH",
		"minutes per mile":                kiwi.SportSettings[0]["pace_units"] == "MINS_MILE",
		"an athlete west of UTC":          surfer.Athlete["timezone"] == "America/Los_Angeles",
		"an athlete far east of UTC":      kiwi.Athlete["timezone"] == "Pacific/Auckland",
		"a coach of three":                slices.Equal(coach.CoachOf, []string{"i100001", "i100002", "i100003"}),
		"an outsider that nobody coaches": outsider.Athlete["id"] == "i100005" && len(outsider.Activities) > 50,
		"private fields to keep in":       me.Athlete["icu_api_key"] == "demo-key-1" && me.Athlete["email"] != nil,
	} {
		if !holds {
			t.Errorf("the demo data has not: %s", name)
		}
	}
	nulls := 0
	for _, o := range me.Activities[len(me.Activities)-30:] {
		streams, _ := me.Record(text(o, "id"))
		for _, s := range streams {
			if s.Type == "heartrate" && slices.Contains(s.Data, nil) {
				nulls++
			}
		}
	}
	if nulls < 2 {
		t.Errorf("heart rate drops out in %d of 30 activities", nulls)
	}
}

func hasControls(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) && strings.Contains(s, "IGNORE ALL")
}
