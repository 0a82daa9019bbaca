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

// People paste their key into notes, and assistants into the wrong argument.
func TestTheKeyIsInNoAnswerEvenWhereSomebodyWroteIt(t *testing.T) {
	d := sampleData(t)
	key := d.Athletes[0].APIKey
	d.Athletes[0].Activities[0]["name"], d.Athletes[0].Activities[0]["description"] = "My key is "+key, key
	w := newWorld(t, d, sampleNow)
	id := d.Athletes[0].Activities[0]["id"]
	for tool, args := range map[string]map[string]any{
		"get_activities":       nil,
		"get_activity_details": {"activity_id": id, "detail": "full"},
		"add_or_update_note":   {"name": "Note", "description": "key: " + key, "start_date": "2026-08-03"},
		"get_gear_list":        {"athlete_id": key},
		"get_events":           {key: 1},
		"add_or_update_event":  {"name": "Ride", "workout_type": key},
	} {
		if a := w.call(t, tool, args); strings.Contains(a.Text, key) || strings.Contains(string(a.Structured), key) {
			t.Errorf("%s: %s", tool, a.Text)
		}
	}
}
