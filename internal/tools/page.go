package tools

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
)

// textBudget bounds the text of one answer, in bytes: about 10,000 tokens, so
// that text and structured result together stay under the 25,000 that clients
// cut at.
const textBudget = 30_000

// cursor remembers where a list was cut. It names the last record shown, so
// that records added or deleted in between neither repeat nor hide others,
// and the arguments it belongs to.
type cursor struct {
	After string `json:"a"`           // sort key of the last record shown
	From  string `json:"f,omitempty"` // the window as it was resolved
	To    string `json:"t,omitempty"`
	Args  uint32 `json:"h"` // fingerprint of the other arguments
}

func (c cursor) String() string {
	b, _ := json.Marshal(c) // plain strings and a number: cannot fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// readCursor reads a cursor back; fingerprint must be that of the same
// arguments.
func readCursor(s string, fingerprint uint32) (cursor, error) {
	var c cursor
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || json.Unmarshal(b, &c) != nil || c.After == "" {
		return c, Problems{{Arg: "cursor", Message: "is not one that this server gave", Next: "pass next_cursor unchanged, or leave it out to start again"}}
	}
	for _, day := range []string{c.From, c.To} {
		if d, err := parseDay(day); day != "" && (err != nil || d.fixed != day) {
			return c, Problems{{Arg: "cursor", Message: "is not one that this server gave"}}
		}
	}
	if c.Args != fingerprint {
		return c, Problems{{Arg: "cursor", Message: "belongs to other arguments", Next: "repeat the arguments of the answer that gave it, or leave it out"}}
	}
	return c, nil
}

// fingerprint hashes the arguments that a cursor must be used with.
func fingerprint(args ...any) uint32 {
	h := fnv.New32a()
	for _, a := range args {
		fmt.Fprintf(h, "%v\x00", a)
	}
	return h.Sum32()
}

// Page tells how a list was cut. It is embedded in list results.
type Page struct {
	Shown      int    `json:"count"`
	Left       int    `json:"remaining,omitempty"` // at least this many more
	NextCursor string `json:"next_cursor,omitempty"`
}

// add puts it into a result that is written by hand.
func (p Page) add(f *facts) {
	f.add("count", int64(p.Shown))
	f.count("remaining", p.Left)
	f.text("next_cursor", p.NextCursor)
}

// text is the line that says so; "" when nothing is left.
func (p Page) text(what string) string {
	if p.NextCursor == "" {
		return ""
	}
	more := "more"
	if p.Left > 0 {
		more = fmt.Sprintf("%d more", p.Left)
	}
	return fmt.Sprintf("%s %s: pass cursor %q with the same arguments.", more, what, p.NextCursor)
}

// fit counts how many records fit into the text budget and the limit; at
// least one does.
func fit(n, limit int, size func(i int) int) int {
	total := 0
	for i := range min(n, limit) {
		total += size(i) + 1
		if total > textBudget && i > 0 {
			return i
		}
	}
	return min(n, limit)
}
