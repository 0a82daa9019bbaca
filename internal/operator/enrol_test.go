package operator

import (
	"context"
	"errors"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// lossy stores a key, but its answer is lost.
type lossy struct{ secrets.Memory }

var errLost = errors.New("the answer was lost")

func (l *lossy) Put(ctx context.Context, user string, k secrets.Key) error {
	return errors.Join(l.Memory.Put(ctx, user, k), errLost)
}

func TestAUserWhoseKeyMayNotHaveBeenStoredLeavesNothingBehind(t *testing.T) {
	keys, users := &lossy{}, identity.NewStore(&identity.Memory{}, time.Now)
	s := &Stores{Identity: users, Keys: keys}
	e := enrolment{athlete: "i7", key: secrets.New("key-of-i7")}
	if _, _, err := enrol(t.Context(), s, e); !errors.Is(err, errLost) {
		t.Fatalf("error %v", err)
	}
	if _, err := users.User(t.Context(), "i7"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("the user is there: %v", err)
	}
	if _, err := keys.Credential(t.Context(), "i7"); !errors.Is(err, secrets.ErrNotFound) {
		t.Errorf("the key is there: %v", err)
	}
	// Who was there before stays, with the key.
	if _, err := users.AddUser(t.Context(), identity.User{ID: "i7", Athlete: "i7"}); err != nil {
		t.Fatal(err)
	}
	if _, again, err := enrol(t.Context(), s, e); !again || !errors.Is(err, errLost) {
		t.Errorf("again %v: %v", again, err)
	}
	if _, err := keys.Credential(t.Context(), "i7"); err != nil {
		t.Error(err)
	}
}
