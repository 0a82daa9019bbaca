package audit_test

import (
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
)

func TestMemoryIsALog(t *testing.T) {
	audittest.Suite(t, func(*testing.T) audit.Log { return &audit.Memory{} })
}

func TestKeysFollowFromTheChangeID(t *testing.T) {
	at := time.Date(2026, 7, 15, 12, 30, 0, 5, time.UTC)
	id := audit.NewID(at, "JKJa=Xm#P-L")
	back, err := audit.ParseID(id.String())
	if err != nil || back != id {
		t.Fatalf("ParseID(%q) = %+v, %v", id, back, err)
	}
	if got := back.SortKey(12, audit.Outcome); got != "2026-07-15T12:30:00.000000005Z#JKJaXmPL#12#outcome" {
		t.Errorf("key = %s", got)
	}
	for _, bad := range []string{"", "-", "x", "x-", "-x", "zzzzzzzzzzzzzzzz-a", id.String() + "#", strings.ToUpper(id.String()), "../a-b"} {
		if _, err := audit.ParseID(bad); err == nil {
			t.Errorf("ParseID(%q) was accepted", bad)
		}
	}
}
