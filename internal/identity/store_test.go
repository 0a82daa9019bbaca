package identity_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"testing/quick"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/identitytest"
)

func TestMemoryIsATable(t *testing.T) {
	identitytest.Suite(t, func(*testing.T) (identity.Table, identitytest.Raw) {
		m := &identity.Memory{}
		return m, m.Raw
	})
}

func TestAUserIDIsWhatTheRuleSays(t *testing.T) {
	rule := regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	agree := func(id string) bool { return identity.ValidUser(id) == (rule.MatchString(id) && id[len(id)-1] != '\n') }
	for _, id := range []string{"", "i1", "-", "_a", "a-", "a\n", "I1", "a/b", "é", fmt.Sprintf("%064d", 1), fmt.Sprintf("%065d", 1)} {
		if !agree(id) {
			t.Errorf("%q", id)
		}
	}
	if err := quick.Check(agree, nil); err != nil {
		t.Error(err)
	}
}

func TestATokensContextIsTheIdentityThatParseReads(t *testing.T) {
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	token := identity.Token{ID: "i9-x", User: "i9", Athlete: "i9", Athletes: []string{"i1", "i2"}, Coach: true, Scopes: []identity.Scope{"write"},
		Client: "c", Toolset: "full", Confirm: "person", Expires: now}
	in := map[string]any{}
	for k, v := range token.Context() {
		in[k] = v
	}
	id, err := identity.Parse(in)
	if err != nil || id.User != "i9" || len(id.Athletes) != 2 || !id.Coach || !id.May("read") || id.Connection != "i9-x" || id.Confirm != "person" || !id.Expires.Equal(now) {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestAContextThatIsNotAllTextIsNoIdentity(t *testing.T) {
	good := func() map[string]any {
		return map[string]any{"auth": "ok", "user": "i1", "athlete": "i1", "athletes": "", "coach": "false", "scopes": "read", "connection": "c", "exp": ""}
	}
	if id, err := identity.Parse(good()); err != nil || id.Confirm != identity.ConfirmAll || id.Toolset != identity.ToolsetCore {
		t.Fatalf("%+v, %v", id, err)
	}
	if _, err := identity.Parse(map[string]any{"auth": "ok", "user": "i1", "athlete": "i1", "scopes": "read", "principalId": nil}); err != nil {
		t.Errorf("a gateway's own key: %v", err)
	}
	for _, wrong := range []any{nil, 1700000000.0, true, []any{"i2"}, map[string]any{"user": "i2"}} {
		for key := range good() {
			in := good()
			in[key] = wrong
			if id, err := identity.Parse(in); !errors.Is(err, identity.ErrInvalidToken) || id.User != "" {
				t.Errorf("%s = %v gives %+v, %v", key, wrong, id, err)
			}
		}
	}
	for key, wrong := range map[string]string{"auth": "OK", "user": "", "athlete": "", "scopes": "reader admin", "exp": "soon"} {
		in := good()
		in[key] = wrong
		if _, err := identity.Parse(in); !errors.Is(err, identity.ErrInvalidToken) {
			t.Errorf("%s = %q gives %v", key, wrong, err)
		}
	}
}

func TestLastUseIsWrittenOnceAnHour(t *testing.T) {
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	var calls []string
	var fail error
	l := identity.NewLastUsed(func(_ context.Context, token string, at time.Time) error {
		calls = append(calls, token)
		return fail
	}, func() time.Time { return now })
	note := func(token string, want int) {
		t.Helper()
		if err := l.Note(t.Context(), token); !errors.Is(err, fail) {
			t.Error(err)
		}
		if len(calls) != want {
			t.Errorf("%d writes, want %d", len(calls), want)
		}
	}
	note("a", 1)
	note("b", 2)
	now = now.Add(59 * time.Minute)
	note("a", 2)
	now = now.Add(time.Minute)
	note("a", 3)
	fail = errors.New("down")
	note("c", 4)
	fail = nil
	note("c", 4) // not at once
	now = now.Add(time.Minute)
	note("c", 5)
	for i := range 2500 { // whatever it remembers is bounded
		note(fmt.Sprint(i), 6+i)
	}
}
