package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/secrets"
)

type failingStore struct{ err error }

func (f failingStore) Credential(context.Context, string) (secrets.Credential, error) {
	return secrets.Credential{}, f.err
}
func (failingStore) Refused(string) {}

func TestEachFaultOfTheSecretStoreHasItsOwnClearAnswer(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	said := map[string]bool{}
	for kind, want := range map[secrets.Kind]string{
		secrets.Missing: "Add one at", secrets.Empty: "empty", secrets.Malformed: "not in the form", secrets.Newer: "Update",
		secrets.Denied: "operator", secrets.Throttled: "Try again in a minute", secrets.Unavailable: "cannot be reached",
	} {
		w.svc.Secrets = failingStore{&secrets.Error{Kind: kind, Err: errors.New("arn:aws:secretsmanager:private")}}
		a := w.call(t, "get_gear_list", nil)
		if !a.IsError || !strings.Contains(a.Text, want) || strings.Contains(a.Text, "arn:") || said[a.Text] {
			t.Errorf("%v: %+v", kind, a)
		}
		said[a.Text] = true
	}
}

// replacedKey is a store whose key was replaced: the cache still gives the old
// one until it was refused.
type replacedKey struct {
	keys    []string
	refused int
}

func (r *replacedKey) Credential(context.Context, string) (secrets.Credential, error) {
	return secrets.Credential{APIKey: secrets.New(r.keys[min(r.refused, len(r.keys)-1)])}, nil
}
func (r *replacedKey) Refused(string) { r.refused++ }

func TestAReplacedKeyIsPickedUpWithinTheCall(t *testing.T) {
	w := newWorld(t, sampleData(t), sampleNow)
	good := w.fake.Athletes()[0].APIKey
	for _, tt := range []struct {
		keys []string
		ok   bool
	}{
		{[]string{"old", good}, true},
		{[]string{"old"}, false},
		{[]string{"old", "older"}, false},
	} {
		w.svc = newTestService(t, w.fake.Transport(), good, func() time.Time { return w.now }) // nothing is cached
		w.svc.Secrets = &replacedKey{keys: tt.keys}
		a := w.call(t, "get_gear_list", nil)
		if a.IsError == tt.ok || a.IsError && !strings.Contains(a.Text, "does not accept the stored key") {
			t.Errorf("%d keys: %.200s", len(tt.keys), a.Text)
		}
	}
}
