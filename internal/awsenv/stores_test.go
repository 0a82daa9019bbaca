package awsenv

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestEachOfAStacksStoresMustBeNamed(t *testing.T) {
	whole := Stores{Identity: "i", Audit: "a", State: "s", SecretPrefix: "p"}
	if err := whole.Check(); err != nil {
		t.Error(err)
	}
	for name, forget := range map[string]func(*Stores){
		"IDENTITY_TABLE": func(s *Stores) { s.Identity = "" },
		"AUDIT_TABLE":    func(s *Stores) { s.Audit = "" },
		"STATE_TABLE":    func(s *Stores) { s.State = "" },
		"SECRET_PREFIX":  func(s *Stores) { s.SecretPrefix = "" },
	} {
		s := whole
		forget(&s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func TestAuditRetentionIsAWholeNumberOfDays(t *testing.T) {
	for value, want := range map[string]time.Duration{"": 0, "1": 24 * time.Hour, "365": 365 * 24 * time.Hour, "36500": 36500 * 24 * time.Hour} {
		if got, err := AuditRetention(value); err != nil || got != want {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	for _, value := range []string{"0", "-1", "1.5", "36501", "a year", " 1"} {
		if got, err := AuditRetention(value); err == nil {
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
