package pages_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

// weight is a page with all it loads.
func weight(page string) int {
	n := len(page)
	for _, path := range regexp.MustCompile(`/assets/[a-z]+-[0-9a-f]{12}\.[a-z]+`).FindAllString(page, -1) {
		n += asset(http.MethodGet, path).Body.Len()
	}
	return n
}

// session is a planned workout with a description of some length.
func session(i, length int) pages.Object {
	return pages.Object{Kind: "workout", Title: fmt.Sprintf("Session-%d.", i), Action: "create", Undo: "yes", Status: "applied", Fields: []pages.Field{
		{Label: "Day", New: "Mon 30 Nov 2026"}, {Label: "Sport", New: "Run"}, {Label: "Load", New: "82"},
		{Label: "Workout", New: strings.Repeat("- 10m \"Z2\" <HR> & \n", length/20)}}}
}

func sessions(n, length int) []pages.Object {
	out := make([]pages.Object, n)
	for i := range out {
		out[i] = session(i, length)
	}
	return out
}

func TestNoPageIsHeavierThanItsBound(t *testing.T) {
	samples := pagestest.Samples(origin)
	var entries []pages.Entry
	for i := range pages.EntriesPerPage {
		entries = append(entries, pages.Entry{ID: strconv.Itoa(i), Client: strings.Repeat("é", 500), Summary: strings.Repeat("words ", 100), Status: "applied", Objects: sessions(100, 500), CanUndo: true, Warnings: []string{"one", "two"}})
	}
	var athletes []pages.Athlete
	for i := range 200 {
		athletes = append(athletes, pages.Athlete{ID: "i" + strconv.Itoa(100000+i), Name: "Élodie Lefèvre-Montgomery", Chosen: true})
	}
	big := pages.Pending{ID: "w", Summary: "add 100 sessions", Objects: sessions(100, 4000)}
	for name, p := range map[string]pages.Page{
		"a full page of history": &pages.History{Entries: entries, Days: 400},
		"100 long sessions":      &pages.Change{Pending: big},
		"their history":          &pages.HistoryEntry{Entry: pages.Entry{Objects: big.Objects}, From: 30},
		"many waiting":           &pages.Changes{Pending: []pages.Pending{big, big, big, big, big}},
		"their outcome":          &pages.Outcome{Status: "applied", Objects: big.Objects},
		"a coach of 200":         &pages.Consent{MayWrite: true, Athletes: athletes},
	} {
		samples = append(samples, pagestest.Sample{Name: name, Status: 200, Page: p})
	}
	for _, s := range samples {
		if n := weight(render(t, s).Body.String()); n > pages.MaxPage {
			t.Errorf("%s: %d bytes, at most %d", s.Name, n, pages.MaxPage)
		}
	}
}

// What a person approves they must have been able to see whole.
func TestThePartsOfALongChangeShowEveryObjectOnceAndLead(t *testing.T) {
	objects := sessions(100, 2000)
	seen := map[string]int{}
	link := regexp.MustCompile(`/account/changes/w\?from=(\d+)">(Next|Earlier) part`)
	from, visited := 0, 0
	for {
		page := render(t, pagestest.Sample{Status: 200, Page: &pages.Change{Pending: pages.Pending{ID: "w", Objects: objects}, From: from}}).Body.String()
		for _, title := range regexp.MustCompile(`Session-\d+\.`).FindAllString(page, -1) {
			seen[title]++
		}
		if !strings.Contains(page, "Your answer counts for all 100 parts") {
			t.Error("the page does not say that the answer counts for all")
		}
		visited++
		next := -1
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			n, _ := strconv.Atoi(m[1])
			if m[2] == "Next" {
				next = n
			} else if n >= from {
				t.Errorf("the earlier part of %d begins at %d", from, n)
			}
		}
		if next < 0 {
			break
		}
		if next <= from {
			t.Fatalf("the part after %d begins at %d", from, next)
		}
		from = next
	}
	if visited < 3 || len(seen) != 100 {
		t.Errorf("%d parts show %d of 100 sessions", visited, len(seen))
	}
	for title, n := range seen {
		if n != 1 {
			t.Errorf("%s stands on %d parts", title, n)
		}
	}
}

func TestAListOffersApproveOnlyWhereTheWholeChangeIsShown(t *testing.T) {
	long := pages.Pending{ID: "long", Summary: "long", Objects: sessions(100, 2000)}
	short := pages.Pending{ID: "short", Summary: "short", Objects: sessions(1, 20)}
	page := render(t, pagestest.Sample{Status: 200, Page: &pages.Changes{Pending: []pages.Pending{short, long}}}).Body.String()
	if !strings.Contains(page, `"/account/changes/short/approve"`) || strings.Contains(page, `"/account/changes/long/approve"`) || !strings.Contains(page, `"/account/changes/long"`) {
		t.Error("the list does not lead to the whole of the long change before it can be approved")
	}
}

func TestAPartThatDoesNotExistIsTheFirst(t *testing.T) {
	for _, from := range []int{-1, 100, 1 << 40} {
		page := render(t, pagestest.Sample{Status: 200, Page: &pages.Change{Pending: pages.Pending{ID: "w", Objects: sessions(3, 20)}, From: from}}).Body.String()
		if !strings.Contains(page, "Session-0.") {
			t.Errorf("from %d does not begin at the beginning", from)
		}
	}
}
