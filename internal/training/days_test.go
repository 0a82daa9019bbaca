package training

import "testing"

func TestDaysAreCountedOverMonthsLeapDaysAndClockChanges(t *testing.T) {
	for _, c := range []struct {
		from, to string
		n        int
	}{{"2026-02-28", "2026-03-01", 1}, {"2028-02-28", "2028-03-01", 2}, {"2026-03-28", "2026-03-30", 2}, {"2026-07-15", "2026-07-15", 0}, {"2026-01-01", "2025-12-31", -1}} {
		if got := DaysBetween(c.from, c.to); got != c.n {
			t.Errorf("from %s to %s: %d days, want %d", c.from, c.to, got, c.n)
		}
		if got := AddDays(c.from, c.n); got != c.to {
			t.Errorf("%s + %d = %s, want %s", c.from, c.n, got, c.to)
		}
	}
	if AddDays("soon", 1) != "soon" || DaysBetween("soon", "2026-01-01") != 0 {
		t.Error("what is no day was moved or counted")
	}
}
