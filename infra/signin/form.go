package signin

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// form is a form of a page, as it would be sent untouched.
type form struct {
	action string
	text   string // what it says
	fields []field
}

// field is an input, a choice or a button.
type field struct {
	name, value, kind string // kind: hidden, text, password, radio, checkbox, submit, option
	on                bool   // sent unless something else is chosen
}

// elements reads a page's elements and texts in order.
func elements(body string, see func(start *xml.StartElement, end string, text string)) {
	d := xml.NewDecoder(strings.NewReader(body))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := d.Token()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				see(nil, "", fmt.Sprintf("[the page cannot be read: %v]", err))
			}
			return
		}
		switch token := token.(type) {
		case xml.StartElement:
			see(&token, "", "")
		case xml.EndElement:
			see(nil, token.Name.Local, "")
		case xml.CharData:
			see(nil, "", string(token))
		}
	}
}

func textOf(body string) string {
	var b strings.Builder
	elements(body, func(_ *xml.StartElement, _ string, text string) { b.WriteString(text + " ") })
	return strings.Join(strings.Fields(b.String()), " ")
}

// forms gives all forms of a page. Selects are read as a choice of options.
func forms(body string) (all []form) {
	var in *form
	selected := "" // the name of the select that is open
	elements(body, func(start *xml.StartElement, end string, text string) {
		switch {
		case start != nil && start.Name.Local == "form":
			all = append(all, form{action: attribute(start, "action")})
			in = &all[len(all)-1]
		case end == "form":
			in = nil
		case in == nil:
		case end == "select":
			selected = ""
		case start != nil:
			selected = in.read(start, selected)
		default:
			in.text = strings.Join(strings.Fields(in.text+" "+text), " ")
		}
	})
	return all
}

// read takes in one element; it gives the select that is open after it.
func (f *form) read(e *xml.StartElement, selected string) string {
	name, value := attribute(e, "name"), attribute(e, "value")
	kind := attribute(e, "type")
	switch e.Name.Local {
	case "input":
		switch kind {
		case "radio", "checkbox":
			f.fields = append(f.fields, field{name, value, kind, has(e, "checked")})
		case "submit", "button":
			f.fields = append(f.fields, field{name, value, "submit", false})
		default:
			f.fields = append(f.fields, field{name, value, kind, true})
		}
	case "button":
		f.fields = append(f.fields, field{name, value, "submit", false})
	case "textarea":
		f.fields = append(f.fields, field{name, "", "text", true})
	case "select":
		return name
	case "option":
		f.fields = append(f.fields, field{selected, value, "option", has(e, "selected")})
	}
	return selected
}

func attribute(e *xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func has(e *xml.StartElement, name string) bool {
	return slices.ContainsFunc(e.Attr, func(a xml.Attr) bool { return a.Name.Local == name })
}

// Fill gives what is sent when the form with an action is filled in so. Pairs
// are fields and values; what is not offered cannot be chosen.
func Fill(body, action string, pairs ...string) (url.Values, error) {
	all := forms(body)
	i := slices.IndexFunc(all, func(f form) bool { return f.action == action })
	if i < 0 {
		return nil, fmt.Errorf("there is no form for %s", action)
	}
	f, out := all[i], url.Values{}
	for _, e := range f.fields {
		if e.on && e.name != "" {
			out.Add(e.name, e.value)
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, value := pairs[i], pairs[i+1]
		at := slices.IndexFunc(f.fields, func(e field) bool {
			choice := e.kind == "radio" || e.kind == "checkbox" || e.kind == "option" || e.kind == "submit"
			return e.name == name && (!choice || e.value == value)
		})
		if at < 0 {
			return nil, fmt.Errorf("the form for %s does not offer %s=%s", action, name, value)
		}
		if f.fields[at].kind == "checkbox" {
			out.Add(name, value)
		} else {
			out.Set(name, value)
		}
	}
	return out, nil
}

// TextAt is what the element of a page with an id says, "" when there is none.
// Nothing may be nested in it.
func TextAt(body, id string) string {
	found, out := false, ""
	elements(body, func(start *xml.StartElement, end string, text string) {
		switch {
		case start != nil:
			found = attribute(start, "id") == id
		case end != "":
			found = false
		case found:
			out += text
		}
	})
	return strings.TrimSpace(out)
}
