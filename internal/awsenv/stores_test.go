package awsenv

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEachOfAStacksStoresMustBeNamed(t *testing.T) {
	whole := map[string]string{"IDENTITY_TABLE": "i", "AUDIT_TABLE": "a", "STATE_TABLE": "s", "SECRET_PREFIX": "p"}
	got, err := ReadStores(func(k string) string { return whole[k] })
	if want := (Stores{Identity: "i", Audit: "a", State: "s", SecretPrefix: "p"}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for name := range whole {
		env := maps.Clone(whole)
		delete(env, name)
		if _, err := ReadStores(func(k string) string { return env[k] }); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestAuditRetentionIsAWholeNumberOfDays(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "1": 24 * time.Hour, "365": 365 * 24 * time.Hour, "36500": 36500 * 24 * time.Hour} {
		if got, err := AuditRetention(func(string) string { return value }); err != nil || got != want {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	for _, value := range []string{"0", "-1", "1.5", "36501", "a year", " 1"} {
		if got, err := AuditRetention(func(string) string { return value }); err == nil {
			t.Errorf("%q is taken for %v", value, got)
		}
	}
}

func TestAListHasNoEmptyParts(t *testing.T) {
	if got := List(" i1,, i2 ,\t"); !slices.Equal(got, []string{"i1", "i2"}) {
		t.Errorf("%q", got)
	}
	if got := List(""); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
