package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Kind is the type of a parameter or result key.
type Kind int

// The kinds. Date, ID and Enum are strings on the wire.
const (
	String  Kind = iota // one line or more of text
	Integer             //
	Number              //
	Boolean             //
	Date                // today, tomorrow, yesterday, -7d, +3d, YYYY-MM-DD
	ID                  // letters, digits, - and _; a number is accepted
	Enum                // one of Param.Enum, case-insensitive
	Object              // any JSON object
	List                // array
)

// Param is one parameter of a tool.
type Param struct {
	Name     string
	Kind     Kind
	Doc      string
	Required bool
	Default  any      // inserted when not passed; also stated in the schema
	Enum     []string // for Enum
	Min, Max float64  // range of a number, both inclusive; both 0 = none
	MaxLen   int      // of a String, in characters; 0 = 4000
	Items    Kind     // of a List
	// Schema replaces the generated property where it is richer than a Param
	// can say (ready-made JSON).
	Schema string
	// Accept also takes JSON text where an object is wanted.
	Accept func(json.RawMessage) (json.RawMessage, error)
}

// Out is one top-level key of a tool's result.
type Out struct {
	Name     string
	Kind     Kind
	Required bool
}

// InputSchema writes the JSON schema of the arguments.
func (t Tool) InputSchema() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, p := range t.Params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Quote(p.Name) + ":")
		p.write(&b)
	}
	b.WriteString(`}`)
	first := true
	for _, p := range t.Params {
		if p.Required {
			b.WriteString(map[bool]string{true: `,"required":[`, false: ","}[first])
			b.WriteString(strconv.Quote(p.Name))
			first = false
		}
	}
	if !first {
		b.WriteByte(']')
	}
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

func (p Param) write(b *bytes.Buffer) {
	if p.Schema != "" {
		b.WriteString(p.Schema)
		return
	}
	b.WriteString(`{"type":"` + p.Kind.json() + `"`)
	if p.Kind == List {
		b.WriteString(`,"items":{"type":"` + p.Items.json() + `"}`)
	}
	if p.Kind == Enum {
		b.WriteString(`,"enum":`)
		b.Write(mustJSON(p.Enum))
	}
	if p.Min != 0 || p.Max != 0 {
		fmt.Fprintf(b, `,"minimum":%v,"maximum":%v`, p.Min, p.Max)
	}
	if p.Default != nil {
		b.WriteString(`,"default":`)
		b.Write(mustJSON(p.Default))
	}
	if p.Doc != "" {
		b.WriteString(`,"description":`)
		b.Write(mustJSON(p.Doc))
	}
	b.WriteByte('}')
}

// OutputSchema writes the JSON schema of structuredContent: the top-level keys
// and which of them are always there. Fields of records stand in docs/tools.md.
func (t Tool) OutputSchema() json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i, o := range t.Result {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `%q:{"type":"%s"}`, o.Name, o.Kind.json())
		if o.Required {
			required = append(required, o.Name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":`)
		b.Write(mustJSON(required))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (k Kind) json() string {
	switch k {
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Boolean:
		return "boolean"
	case Object:
		return "object"
	case List:
		return "array"
	}
	return "string"
}

func mustJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // a declaration that is no JSON: found by the first test
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Parameters that many tools share.
var (
	athleteParam = Param{Name: "athlete_id", Kind: ID, Doc: "Athlete, e.g. i12345. Default: the connected athlete; a coach may name one of theirs."}
	todayParam   = Param{Name: "today", Kind: Date, Doc: "The traveller's local date, at most a day from the profile's."}
	cursorParam  = Param{Name: "cursor", Kind: String, Doc: "next_cursor of the previous answer."}
)
