package training

import "time"

// DayLayout writes a local day as the platform does.
const DayLayout = "2006-01-02"

// AddDays moves a local day; a day that is none stays as it is.
func AddDays(day string, n int) string {
	t, err := time.Parse(DayLayout, day)
	if err != nil {
		return day
	}
	return t.AddDate(0, 0, n).Format(DayLayout)
}

// DaysBetween counts the days from a to b: 0 when they are the same, negative
// when b comes first.
func DaysBetween(a, b string) int {
	from, errA := time.Parse(DayLayout, a)
	to, errB := time.Parse(DayLayout, b)
	if errA != nil || errB != nil {
		return 0
	}
	return int(to.Sub(from).Hours() / 24)
}
