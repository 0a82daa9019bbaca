package tools

import (
	"fmt"
	"slices"
	"strings"
)

// sports are the platform's sports (SCHEMAS.md SportType); case matters there.
var sports = strings.Fields(`Ride Run Swim WeightTraining Hike Walk AlpineSki BackcountrySki Badminton Canoeing Crossfit EBikeRide EMountainBikeRide
	Elliptical Golf GravelRide TrackRide Handcycle HighIntensityIntervalTraining Hockey IceSkate InlineSkate Kayaking Kitesurf
	MountainBikeRide Cyclocross NordicSki OpenWaterSwim Padel Pilates Pickleball Racquetball Rugby RockClimbing RollerSki Rowing Sail
	Skateboard Snowboard Snowshoe Soccer Squash StairStepper StandUpPaddling Surfing TableTennis Tennis TrailRun Transition Velomobile
	VirtualRide VirtualRow VirtualRun VirtualSki WaterSport Wheelchair Windsurf Workout Yoga Other`)

// readSport finds the sport that is meant, whatever its case and spacing.
func readSport(s string) (string, error) {
	plain := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(s)
	for _, known := range sports {
		if strings.EqualFold(known, plain) {
			return known, nil
		}
	}
	best, dist := "", 3
	for _, known := range sports {
		if d := EditDistance(strings.ToLower(plain), strings.ToLower(known)); d < dist {
			best, dist = known, d
		}
	}
	hint := ""
	if best != "" {
		hint = "did you mean " + best + "? "
	}
	return "", fmt.Errorf("%s is no sport of Intervals.icu; %sknown: %s", Quote(s, 30), hint, strings.Join(sports, ", "))
}

// sportWords are the words of a name that say a sport.
var sportWords = map[string]string{
	"bike": "Ride", "cycle": "Ride", "cycling": "Ride", "ride": "Ride", "rides": "Ride",
	"run": "Run", "runs": "Run", "running": "Run", "jog": "Run", "jogging": "Run",
	"swim": "Swim", "swims": "Swim", "swimming": "Swim", "pool": "Swim",
	"walk": "Walk", "walking": "Walk", "hike": "Hike", "hiking": "Hike",
	"row": "Rowing", "rowing": "Rowing", "yoga": "Yoga", "pilates": "Pilates", "elliptical": "Elliptical",
}

// sportOfName guesses a sport from whole words of a name; "brunch" is no run.
// No sport, or more than one, is an error that lists what to choose from.
func sportOfName(name string) (string, error) {
	var found []string
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if s := sportWords[word]; s != "" && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("is needed, since the name says no sport; one of %s", strings.Join(sports, ", "))
	}
	return "", fmt.Errorf("is needed, since the name says %s; pick one", strings.Join(found, " and "))
}
