package secrets_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/quick"

	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/secrets/secretstest"
)

func TestMemoryIsAKeeper(t *testing.T) {
	secretstest.Suite(t, func(*testing.T) (secrets.Keeper, secretstest.Raw) {
		m := &secrets.Memory{}
		return m, m.Raw
	})
}

func TestAUserIDIsWhatTheRuleSays(t *testing.T) {
	rule := regexp.MustCompile(`\A[a-z0-9][a-z0-9_-]{0,63}\z`)
	agree := func(id string) bool { return secrets.ValidUser(id) == rule.MatchString(id) }
	for _, id := range append(secretstest.NoUsers, "i1", "a-_", strings.Repeat("a", 64), strings.Repeat("a", 65)) {
		if !agree(id) {
			t.Errorf("%q", id)
		}
	}
	if err := quick.Check(agree, nil); err != nil {
		t.Error(err)
	}
}

func TestAnErrorOfAValueNeverShowsIt(t *testing.T) {
	for _, value := range []string{"k3y", `"k3y"`, `{"v":1,"api_key":"k3y k3y"}`, `{"v":9,"api_key":"k3y"}`, `{"v":"k3y"}`, `{"k3y`} {
		_, err := secrets.Decode(value)
		if err == nil {
			t.Errorf("%s was read", value)
			continue
		}
		for e := err; e != nil; {
			if strings.Contains(e.Error(), "k3y") {
				t.Errorf("%s: %v", value, e)
			}
			u, ok := e.(interface{ Unwrap() error })
			if !ok {
				break
			}
			e = u.Unwrap()
		}
	}
}
