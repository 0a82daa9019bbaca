package rehearsal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Role is what a function may do, and what it did.
type Role struct {
	Name       string
	statements []statement

	mu   sync.Mutex
	used map[right]bool
}

type statement struct {
	Sid, Effect      string
	Action, Resource many
	Condition        map[string]map[string]many // operator, key, values
}

// many is a string or a list of strings.
type many []string

func (m *many) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*m = many{one}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(m))
}

// right is one action on one resource, as a statement writes them.
type right struct{ Sid, Action, Resource string }

func (r right) String() string { return r.Sid + ": " + r.Action + " on " + r.Resource }

// Act is what a function is about to do.
type Act struct {
	Action, Resource string
	Keys             map[string][]string // condition keys of the request
}

// NewRole reads a role's policy documents.
func NewRole(name string, policies []json.RawMessage) (*Role, error) {
	r := &Role{Name: name, used: map[right]bool{}}
	for _, p := range policies {
		var doc struct{ Statement []statement }
		if err := json.Unmarshal(p, &doc); err != nil {
			return nil, fmt.Errorf("policy of %s: %w", name, err)
		}
		r.statements = append(r.statements, doc.Statement...)
	}
	for _, s := range r.statements {
		for op := range s.Condition {
			if _, ok := operators[op]; !ok {
				return nil, fmt.Errorf("policy of %s: condition %s is not known here", name, op)
			}
		}
	}
	return r, nil
}

// May reports whether the role allows an act, and notes the right it used. A
// denial wins over any number of allowances, as with IAM.
func (r *Role) May(a Act) bool {
	var allowed []right
	for _, s := range r.statements {
		if !s.holds(a.Keys) {
			continue
		}
		for _, action := range s.Action {
			for _, resource := range s.Resource {
				if !like(strings.ToLower(action), strings.ToLower(a.Action)) || !like(resource, a.Resource) {
					continue
				}
				if s.Effect == "Deny" {
					return false
				}
				allowed = append(allowed, right{s.Sid, action, resource})
			}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, use := range allowed {
		r.used[use] = true
	}
	return len(allowed) > 0
}

// Unused gives the rights that no act used, but for those of services that
// Lambda itself calls in the function's name.
func (r *Role) Unused(except ...string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	unused := map[string]bool{}
	for _, s := range r.statements {
		if s.Effect != "Allow" {
			continue
		}
		for _, action := range s.Action {
			service, _, _ := strings.Cut(action, ":")
			for _, resource := range s.Resource {
				if use := (right{s.Sid, action, resource}); !r.used[use] && !slices.Contains(except, service) {
					unused[use.String()] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(unused))
}

// operators are the conditions that the template uses.
var operators = map[string]func(have []string, want many) bool{
	"ForAllValues:StringLike": func(have []string, want many) bool { // true of nothing
		for _, h := range have {
			if !slices.ContainsFunc(want, func(w string) bool { return like(w, h) }) {
				return false
			}
		}
		return true
	},
	"Null": func(have []string, want many) bool {
		return slices.Contains(want, fmt.Sprint(len(have) == 0))
	},
}

func (s statement) holds(keys map[string][]string) bool {
	for op, wants := range s.Condition {
		for key, want := range wants {
			if !operators[op](keys[key], want) {
				return false
			}
		}
	}
	return true
}

// like matches * and ? as IAM does.
func like(pattern, s string) bool {
	for pattern != "" {
		switch {
		case pattern[0] == '*':
			for i := 0; i <= len(s); i++ {
				if like(pattern[1:], s[i:]) {
					return true
				}
			}
			return false
		case s == "" || (pattern[0] != '?' && pattern[0] != s[0]):
			return false
		}
		pattern, s = pattern[1:], s[1:]
	}
	return s == ""
}
