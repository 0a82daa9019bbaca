package tools

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/secrets"
)

type failingStore struct{ err error }

func (f failingStore) Credential(context.Context, string) (secrets.Credential, error) {
	return secrets.Credential{}, f.err
}
func (failingStore) Refused(string) {}

func TestEachFaultOfTheSecretStoreHasItsOwnClearAnswer(t *testing.T) {
	now := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	w := newWorld(t, fake.Demo(now), now.Format(time.RFC3339))
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
