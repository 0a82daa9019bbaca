package tools

import (
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/training"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestTodayIsTheNamedAthletesDay(t *testing.T) {
	for name, want := range map[string]string{"Pacific/Auckland": "2026-07-16", "America/Los_Angeles": "2026-07-15", "Europe/London": "2026-07-15"} {
		w, err := newWindow(at(t, sampleNow), "-7d", "today", "", -30, 0)
		if err != nil {
			t.Fatal(err)
		}
		from, to, today, err := w.exact(location(t, name))
		if err != nil || today != want || to != want || from != training.AddDays(want, -7) {
			t.Errorf("%s: %s..%s, today %s, %v; want today %s", name, from, to, today, err, want)
		}
		oldest, newest := w.query(nil)
		if oldest > from || newest < to {
			t.Errorf("%s: the query %s..%s without a zone does not cover %s..%s", name, oldest, newest, from, to)
		}
	}
}

func TestDaysAreReadAsPeopleWriteThem(t *testing.T) {
	for in, want := range map[string]string{"today": "2026-07-15", "Tomorrow": "2026-07-16", "yesterday": "2026-07-14", "-7d": "2026-07-08", "+3d": "2026-07-18", "2026-07-01": "2026-07-01", "2026-07-01T06:30:00": "2026-07-01", "2026-07-01T06:30": "2026-07-01", " 2024-02-29 ": "2024-02-29"} {
		d, err := parseDay(in)
		if err != nil || d.on("2026-07-15") != want {
			t.Errorf("%q = %s, %v; want %s", in, d.on("2026-07-15"), err, want)
		}
	}
	for _, in := range []string{"", "2026-13-01", "2025-02-29", "14.07.2026", "07/14/2026", "7d", "-d", "2026-7-1", "99999-01-01", "2026-07-01Tx", "-99999999d", "0001-01-01"} {
		if _, err := parseDay(in); err == nil {
			t.Errorf("%q was accepted", in)
		}
	}
}

func TestAReversedRangeIsRefusedWithBothDates(t *testing.T) {
	w, err := newWindow(at(t, sampleNow), "2026-07-10", "2026-07-01", "", -30, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err = w.exact(time.UTC); err == nil || !strings.Contains(err.Error(), "2026-07-10 is after end_date 2026-07-01") {
		t.Errorf("error = %v", err)
	}
}

func TestOneEndAloneKeepsTheUsualLength(t *testing.T) {
	w, _ := newWindow(at(t, sampleNow), "", "2026-01-31", "", -30, 0)
	if from, to, _, err := w.exact(time.UTC); err != nil || from != "2026-01-01" || to != "2026-01-31" {
		t.Errorf("%s..%s, %v", from, to, err)
	}
	w, _ = newWindow(at(t, sampleNow), "2026-09-01", "", "", 0, 30)
	if from, to, _, err := w.exact(time.UTC); err != nil || from != "2026-09-01" || to != "2026-10-01" {
		t.Errorf("%s..%s, %v", from, to, err)
	}
}

func TestATravellersTodayMayDifferByOneDay(t *testing.T) {
	w, err := newWindow(at(t, sampleNow), "", "", "2026-07-16", -30, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, to, today, err := w.exact(location(t, "Europe/London")); err != nil || to != "2026-07-16" || today != to {
		t.Errorf("to %s, today %s, %v", to, today, err)
	}
	w, err = newWindow(at(t, sampleNow), "", "", "2026-07-17", -30, 0)
	if err == nil {
		_, _, _, err = w.exact(location(t, "Europe/London"))
	}
	if err == nil {
		t.Error("two days ahead was accepted")
	}
}
