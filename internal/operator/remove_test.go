package operator

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// lateKey is a table of a user who gives a key while they are being removed.
type lateKey struct {
	identity.Memory
	give func()
}

func (l *lateKey) Remove(ctx context.Context, a identity.Account) error {
	l.give()
	return l.Memory.Remove(ctx, a)
}

func TestAKeyThatIsGivenWhileItsUserIsRemovedDoesNotStay(t *testing.T) {
	keys, table := &secrets.Memory{}, &lateKey{}
	s := &Stores{Identity: identity.NewStore(table, time.Now), Keys: keys}
	if _, err := s.Identity.AddUser(t.Context(), identity.User{ID: "i7", Athlete: "i7"}); err != nil {
		t.Fatal(err)
	}
	table.give = func() {
		if err := keys.Put(t.Context(), "i7", secrets.Key{APIKey: secrets.New("key-of-i7"), Athlete: "i7"}); err != nil {
			t.Error(err)
		}
	}
	var out bytes.Buffer
	c := &command{Process: Process{Stdout: &out, Stderr: &out, Now: time.Now}, stores: s, args: []string{"i7"}, yes: true}
	if err := usersRemove(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Credential(t.Context(), "i7"); !errors.Is(err, secrets.ErrNotFound) {
		t.Errorf("the key is there: %v", err)
	}
}
