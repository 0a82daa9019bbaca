package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"sync"
)

//go:embed templates/*.html
var templateFiles embed.FS

// MaxPage bounds a page with its stylesheet, script and picture, in bytes before
// compression.
const MaxPage = 60 << 10

// EntriesPerPage is how many entries of the history fit a page.
const EntriesPerPage = 20

// Set renders pages. The zero value is not usable; New makes one.
type Set struct {
	assets    map[string]asset
	templates func() *template.Template
}

// New makes a Set. Templates are parsed when the first page is rendered: a
// process that only ever answers /token does not pay for them.
func New() *Set {
	s := &Set{assets: loadAssets()}
	s.templates = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("").Funcs(s.funcs()).ParseFS(templateFiles, "templates/*.html"))
	})
	return s
}

// Render writes a page with all of its headers. The error is for the log: the
// browser was answered, if need be with a plain sentence and status 500.
func (s *Set) Render(w http.ResponseWriter, status int, p Page) error {
	a := p.about()
	var b bytes.Buffer
	err := s.templates().ExecuteTemplate(&b, a.template, view{Page: p, Frame: p.frame(), about: a})
	a.setHeaders(w.Header(), p.frame().Origin)
	if err != nil {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte("Something broke here, and it is not your fault. Try again in a moment.\n"))
		return fmt.Errorf("pages: render %s: %w", a.template, err)
	}
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("pages: write %s: %w", a.template, err)
	}
	return nil
}

// Fail writes an error page with the status of its kind.
func (s *Set) Fail(w http.ResponseWriter, p *Failure) error {
	return s.Render(w, p.Kind.Status(), p)
}

// view is what a template sees: the page, its frame, and what stands around.
type view struct {
	Page  Page
	Frame *Frame
	about
}

// Title, Script and Name are for the frame's template.
func (v view) Title() string { return v.title }
func (v view) Script() bool  { return v.script }
func (v view) Name() string  { return v.template }

func (s *Set) funcs() template.FuncMap {
	return template.FuncMap{
		"asset": func(name string) string { return s.assets[name].path },
		"path":  Path, "from": pathFrom, "dict": dict,
		"name": Name, "line": line, "value": value, "sentence": sentence, "count": count,
		"host": host, "astray": astray, "loopback": loopback, "ownScheme": ownScheme,
		"when": when, "day": day, "stamp": stamp, "left": left,
		"room": newRoom, "show": show, "showAll": showAll,
		"confirms": func() []option { return confirmOptions }, "confirmText": confirmText,
		"who": whoIsChosen, "page": tokensPage,
		"action": actionText, "status": statusText, "undo": undoText,
		"signInText": SignInProblem.text, "keyText": SignInProblem.ofKey,
		"failure": func(k FailureKind) failureView { return k.view() },
	}
}

// dict passes several values to a template: key, value, key, value.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d values make no pairs", len(pairs))
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		key, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no key", pairs[i])
		}
		m[key] = pairs[i+1]
	}
	return m, nil
}
