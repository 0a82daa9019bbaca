package blackbox

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Target is what is checked, and what may be done to it. Only URL and Token
// are needed; a check that needs more is left out.
type Target struct {
	URL     string `json:"url"`               // ends in /mcp
	Token   string `json:"token"`             // scope write and toolset full, unless that is all there is
	Core    string `json:"core,omitempty"`    // scope write, toolset core
	Reader  string `json:"reader,omitempty"`  // scope read, toolset full, the same user
	Expired string `json:"expired,omitempty"` // was in force once
	Other   string `json:"other,omitempty"`   // another user's

	// Token confirms each write (all), and so does whatever is not named here.
	// These are of the same user, scope write, toolset full.
	Destructive string `json:"destructive,omitempty"` // confirms only what destroys
	Never       string `json:"never,omitempty"`       // confirms nothing
	Person      string `json:"person,omitempty"`      // only a person may, on a page

	// Coach is a token of a coach that reaches only one of two athletes.
	Coach struct {
		Token  string `json:"token,omitempty"`
		May    string `json:"may,omitempty"`     // an athlete id within reach
		MayNot string `json:"may_not,omitempty"` // the coach's athlete too, but not this token's
		Own    string `json:"own,omitempty"`     // a token of that athlete within reach
	} `json:"coach"`

	// Writes says that what the tools write to is a fake.
	Writes bool `json:"writes,omitempty"`
	// SignIn says that people sign in here: the paths of OAuth answer.
	SignIn bool `json:"sign_in,omitempty"`
	// Remapped says that the front door renames WWW-Authenticate.
	Remapped bool `json:"remapped,omitempty"`
	// Emulated is `sam local start-api`, which has none of the gateway's limits
	// and keeps one of several headers of a name.
	Emulated bool `json:"emulated,omitempty"`

	// Shell commands: CreateCommand prints a token and its id (two words, or
	// JSON with the keys token and id), RevokeCommand gets that id in $ID,
	// BreakCommand takes the identity store away and MendCommand brings it back.
	CreateCommand string `json:"create,omitempty"`
	RevokeCommand string `json:"revoke,omitempty"`
	BreakCommand  string `json:"break,omitempty"`
	MendCommand   string `json:"mend,omitempty"`

	// The same as functions, for tests in Go; they win.
	Create func(*testing.T) (token, id string) `json:"-"`
	Revoke func(t *testing.T, id string)       `json:"-"`
	Break  func(*testing.T)                    `json:"-"`
	Mend   func(*testing.T)                    `json:"-"`
}

// FromEnvironment reads the target that the environment names; ok is false when
// it names none.
func FromEnvironment() (t Target, ok bool, err error) {
	if path := os.Getenv("BLACKBOX_TARGET"); path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return t, false, err
		}
		if err := json.Unmarshal(b, &t); err != nil {
			return t, false, fmt.Errorf("%s: %w", path, err)
		}
	}
	for name, field := range map[string]*string{"BLACKBOX_URL": &t.URL, "BLACKBOX_TOKEN": &t.Token} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	switch {
	case t.URL == "" && t.Token == "":
		return t, false, nil
	case t.URL == "" || t.Token == "":
		return t, false, fmt.Errorf("a URL and a token are needed: BLACKBOX_URL and BLACKBOX_TOKEN")
	case !strings.HasSuffix(t.URL, "/mcp"):
		return t, false, fmt.Errorf("the URL must end in /mcp, not be %q", t.URL)
	}
	return t, true, nil
}

// hooks makes functions of the commands.
func (t Target) hooks() Target {
	if t.Create == nil && t.CreateCommand != "" {
		t.Create = func(tt *testing.T) (token, id string) {
			out := shell(tt, t.CreateCommand)
			var made struct{ Token, ID string }
			if json.Unmarshal([]byte(out), &made) != nil {
				if words := strings.Fields(out); len(words) == 2 {
					made.Token, made.ID = words[0], words[1]
				}
			}
			if made.Token == "" || made.ID == "" {
				tt.Fatal("the create command printed no token and id")
			}
			return made.Token, made.ID
		}
	}
	if t.Revoke == nil && t.RevokeCommand != "" {
		t.Revoke = func(tt *testing.T, id string) { shell(tt, t.RevokeCommand, "ID="+id) }
	}
	if t.Break == nil && t.BreakCommand != "" && t.MendCommand != "" {
		t.Break = func(tt *testing.T) { shell(tt, t.BreakCommand) }
		t.Mend = func(tt *testing.T) { shell(tt, t.MendCommand) }
	}
	return t
}

func shell(t *testing.T, command string, env ...string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Env = append(os.Environ(), env...)
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, errs.String())
	}
	return string(out)
}
