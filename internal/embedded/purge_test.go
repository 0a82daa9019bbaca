package embedded

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/audit/audittest"
)

func TestPurgingDeletesOneUsersEntriesAndLeavesTheLogGuarded(t *testing.T) {
	s := opened(t)
	for i, user := range []string{"u1", "u1", "u2"} {
		h := audittest.Head(user, i)
		h.Summary, h.Expires = "of "+user+", once", time.Now().Add(time.Hour)
		if err := s.Audit().Append(t.Context(), []audit.Item{h}); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Purger().Entries(t.Context(), "u1"); err != nil || n != 2 {
		t.Errorf("%d entries, %v", n, err)
	}
	last := 0
	if n, err := s.Purger().Purge(t.Context(), "u1", func(done int) { last = done }); err != nil || n != 2 || last != 2 {
		t.Errorf("%d purged, %d told, %v", n, last, err)
	}
	for user, want := range map[string]int{"u1": 0, "u2": 1} {
		if heads, err := s.Audit().Heads(t.Context(), audit.Query{User: user}); err != nil || len(heads) != want {
			t.Errorf("%s: %d heads, %v; want %d", user, len(heads), err, want)
		}
	}
	db, err := s.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"DELETE FROM audit WHERE expires > unixepoch()", "UPDATE audit SET item = '{}'"} {
		if _, err := db.Exec(q); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", q, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(s.Path()); err != nil || bytes.Contains(b, []byte("of u1, once")) || !bytes.Contains(b, []byte("of u2, once")) {
		t.Errorf("the file still holds what was purged, or lost another's (%v)", err)
	}
}
