package awsenv

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Stores names what a stack keeps things in.
type Stores struct {
	Identity, Audit, State string // tables: IDENTITY_TABLE, AUDIT_TABLE, STATE_TABLE
	SecretPrefix           string // of the names of users' keys: SECRET_PREFIX
}

// Check refuses where one of them is not named.
func (s Stores) Check() error {
	if s.Identity == "" || s.Audit == "" || s.State == "" || s.SecretPrefix == "" {
		return errors.New("IDENTITY_TABLE, AUDIT_TABLE, STATE_TABLE and SECRET_PREFIX must be set (under sam local: set API_KEY, or point all four at emulators)")
	}
	return nil
}

// AuditRetention reads AUDIT_RETENTION_DAYS: how long the audit log keeps a
// change; 0 = the default.
func AuditRetention(days string) (time.Duration, error) {
	if days == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(days)
	if err != nil || n < 1 || n > 36500 {
		return 0, errors.New("AUDIT_RETENTION_DAYS must be a whole number of days from 1")
	}
	return time.Duration(n) * 24 * time.Hour, nil
}

// MetricsNamespace reads METRICS_NAMESPACE: where CloudWatch shows what the
// functions count.
func MetricsNamespace(name string) string {
	if name == "" {
		return "intervals-mcp"
	}
	return name
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
