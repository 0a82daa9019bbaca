package awsenv

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Stores names what a stack keeps things in.
type Stores struct {
	Identity, Audit, State string // tables
	SecretPrefix           string // of the names of users' keys
}

// ReadStores reads the names of a stack's stores, all of which must be set.
func ReadStores(getenv func(string) string) (Stores, error) {
	s := Stores{Identity: getenv("IDENTITY_TABLE"), Audit: getenv("AUDIT_TABLE"), State: getenv("STATE_TABLE"), SecretPrefix: getenv("SECRET_PREFIX")}
	if s.Identity == "" || s.Audit == "" || s.State == "" || s.SecretPrefix == "" {
		return Stores{}, errors.New("IDENTITY_TABLE, AUDIT_TABLE, STATE_TABLE and SECRET_PREFIX must be set (under sam local: set API_KEY, or point all four at emulators)")
	}
	return s, nil
}

// AuditRetention is how long the audit log keeps a change; 0 = the default.
func AuditRetention(getenv func(string) string) (time.Duration, error) {
	s := getenv("AUDIT_RETENTION_DAYS")
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 36500 {
		return 0, errors.New("AUDIT_RETENTION_DAYS must be a whole number of days from 1")
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

// MetricsNamespace is where CloudWatch shows what the functions count.
func MetricsNamespace(getenv func(string) string) string {
	if n := getenv("METRICS_NAMESPACE"); n != "" {
		return n
	}
	return "intervals-mcp"
}

// List splits a variable at its commas, without blanks and empty parts.
func List(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
