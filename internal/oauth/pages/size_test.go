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
	var many []pages.Token
	for i := range 48 { // identity.MaxTokens
		many = append(many, pages.Token{ID: "i7-" + strconv.Itoa(i), Label: strings.Repeat("é", 100), Athletes: athletes, Permissions: pages.Permissions{Write: true, Confirm: "destructive"}})
	}
	var connections []pages.Connection
	for range 16 { // identity.MaxConnections
		connections = append(connections, pages.Connection{ID: strings.Repeat("x", 40), Client: pages.Client{Name: strings.Repeat("é", 100), Host: strings.Repeat("a", 60) + ".example"}, Athletes: athletes,
			Permissions: pages.Permissions{Write: true, Full: true, Confirm: "destructive"}, Created: pagestest.Now, LastUsed: pagestest.Now})
	}
	big := pages.Pending{ID: "w", Summary: "add 100 sessions", Objects: sessions(100, 4000)}
	for name, p := range map[string]pages.Page{
		"a full page of history": &pages.History{Entries: entries, Days: 400},
		"100 long sessions":      &pages.Change{Pending: big},
		"their history":          &pages.HistoryEntry{Entry: pages.Entry{Objects: big.Objects}, From: 30},
		"many waiting":           &pages.Changes{Pending: []pages.Pending{big, big, big, big, big}},
		"their outcome":          &pages.Outcome{Status: "applied", Objects: big.Objects},
		"a coach of 200":         &pages.Consent{MayWrite: true, Athletes: athletes},
		"their tokens":           &pages.Tokens{Tokens: many, Form: pages.TokenForm{Athletes: athletes}},
		"their connections":      &pages.Connections{Connections: connections},
		"one endless line":       &pages.Change{Pending: pages.Pending{Objects: []pages.Object{essay(strings.Repeat("\u202e", 50_000))}}, From: 3},
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

// essay is an object with one text.
func essay(text string) pages.Object {
	return pages.Object{Kind: "note", Action: "create", Fields: []pages.Field{{Label: "Text", New: text}, {Label: "Day", New: "Mon 30 Nov 2026"}}}
}

// A text longer than a page is approved as a whole, so all of it can be read.
func TestATextLongerThanAPageIsReadToItsEnd(t *testing.T) {
	var words []string
	for i := range 20_000 {
		words = append(words, fmt.Sprintf("word-%d.", i))
	}
	for name, text := range map[string]string{"in one line": strings.Join(words, " "), "in many lines": strings.Join(words, "\n")} {
		var read strings.Builder
		for from, n := 0, 0; from >= 0; n++ {
			body := render(t, pagestest.Sample{Name: name, Status: 200, Page: &pages.Change{Pending: pages.Pending{ID: "w", Objects: []pages.Object{essay(text)}}, From: from}}).Body.String()
			if weight(body) > pages.MaxPage || n > 50 {
				t.Fatalf("%s: part %d weighs %d bytes", name, n, weight(body))
			}
			for _, m := range regexp.MustCompile(`(?s)<ins( class="on")?><span class="sr">added: </span>(.*?)</ins>`).FindAllStringSubmatch(body, -1) {
				if m[1] == "" && read.Len() > 0 {
					read.WriteString("\n")
				}
				read.WriteString(m[2])
			}
			next := regexp.MustCompile(`\?from=(\d+)">Next part`).FindStringSubmatch(body)
			from = -1
			if next != nil {
				from, _ = strconv.Atoi(next[1])
			} else if n < 5 || !strings.Contains(body, "Mon 30 Nov 2026") || !strings.Contains(body, "Text, continued") {
				t.Errorf("%s: %d parts, and the last one does not end with the field that follows the text", name, n+1)
			}
		}
		if read.String() != text {
			t.Errorf("%s: %d bytes were read of %d", name, read.Len(), len(text))
		}
	}
}

func TestEveryTokenStandsOnOnePageOfTheList(t *testing.T) {
	var list []pages.Token
	for i := range 48 {
		list = append(list, pages.Token{ID: strconv.Itoa(i), Label: fmt.Sprintf("Token-%d.", i)})
	}
	seen := map[string]int{}
	for from := 0; from >= 0; {
		body := render(t, pagestest.Sample{Status: 200, Page: &pages.Tokens{Tokens: list, From: from}}).Body.String()
		for _, m := range regexp.MustCompile(`action="/account/tokens/(\d+)/revoke"`).FindAllStringSubmatch(body, -1) {
			seen[m[1]]++
		}
		next := regexp.MustCompile(`"/account/tokens\?from=(\d+)">Next part`).FindStringSubmatch(body)
		from = -1
		if next != nil {
			from, _ = strconv.Atoi(next[1])
		}
	}
	if len(seen) != 48 {
		t.Errorf("%d of 48 tokens are listed", len(seen))
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("token %s is listed %d times", id, n)
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
