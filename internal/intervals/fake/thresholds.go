package fake

import (
	"slices"
)

// thresholds are what an athlete's settings say for a sport now; indoors the
// indoor FTP counts, if there is one.
func (a *athlete) thresholds(sport string, indoor bool) thresholds {
	o := a.sport(sport)
	t := thresholds{
		FTP: numberOr0(o, "ftp"), LTHR: numberOr0(o, "lthr"), MaxHR: numberOr0(o, "max_hr"),
		ThresholdPace: numberOr0(o, "threshold_pace"),
		PowerZones:    numbers(o["power_zones"]), HRZones: numbers(o["hr_zones"]), PaceZones: numbers(o["pace_zones"]),
		SweetSpotMin: numberOr0(o, "sweet_spot_min"), SweetSpotMax: numberOr0(o, "sweet_spot_max"),
		PaceUnits: text(o, "pace_units"), RestingHR: numberOr0(a.object, "icu_resting_hr"),
	}
	if f := numberOr0(o, "indoor_ftp"); indoor && f > 0 {
		t.FTP = f
	}
	return t
}

// sport finds the settings of a sport: those that list it, else those for
// all others.
func (a *athlete) sport(sport string) Object {
	var others Object
	for _, o := range a.sports {
		types := texts(o["types"])
		if slices.Contains(types, sport) {
			return o
		}
		if yes(o, "other") || slices.Contains(types, "Other") {
			others = o
		}
	}
	return others
}

// sameSport tells if a sport is in the same settings as another: curves of Ride
// take virtual rides too.
func (a *athlete) sameSport(of, sport string) bool {
	if of == sport {
		return true
	}
	types := texts(a.sport(of)["types"])
	return slices.Contains(types, of) && slices.Contains(types, sport)
}

// thresholds are those an activity was recorded under, from the activity
// itself where it has them.
func (act *activity) thresholds() thresholds {
	o := act.Object
	t := act.owner.thresholds(text(o, "type"), yes(o, "trainer") || text(o, "type") == "VirtualRide")
	for into, key := range map[*float64]string{
		&t.FTP: "icu_ftp", &t.LTHR: "lthr", &t.MaxHR: "athlete_max_hr", &t.ThresholdPace: "threshold_pace",
		&t.SweetSpotMin: "icu_sweet_spot_min", &t.SweetSpotMax: "icu_sweet_spot_max",
	} {
		if f, ok := number(o, key); ok {
			*into = f
		}
	}
	for into, key := range map[*[]float64]string{
		&t.PowerZones: "icu_power_zones", &t.HRZones: "icu_hr_zones", &t.PaceZones: "pace_zones",
	} {
		if list := numbers(o[key]); len(list) > 0 {
			*into = list
		}
	}
	return t
}
