package secretstest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"intervals-mcp/internal/secrets"
)

// Raw stores a value as somebody else would have: by hand, or by another release.
type Raw func(t *testing.T, user, value string)

// Suite runs the tests against the keepers that open makes; each is empty.
func Suite(t *testing.T, open func(t *testing.T) (secrets.Keeper, Raw)) {
	tests := []struct {
		name string
		run  func(*testing.T, secrets.Keeper, Raw)
	}{
		{"a key that was put is what the next call gives", put},
		{"a user without a key gets not found", missing},
		{"one user's key is never another's", apart},
		{"a deleted key is gone and may be put again", remove},
		{"a token of Intervals.icu takes the place of a key, and says when it was stored", token},
		{"a text that is no user id reaches no secret", noUser},
		{"a key that cannot be one is refused before it is stored", badKey},
		{"each kind of bad value has its own error", badValues},
		{"keys put at the same time are all kept", atTheSameTime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, raw := open(t)
			tt.run(t, k, raw)
		})
	}
}

// Key is a key for tests.
func Key(s string) secrets.Key { return secrets.Key{APIKey: secrets.New(s), Athlete: "i1"} }

func want(t *testing.T, k secrets.Keeper, user, value string) {
	t.Helper()
	c, err := k.Credential(context.Background(), user)
	if err != nil || c.APIKey.Reveal() != value || !c.Bearer.IsZero() {
		t.Errorf("%s: got another key than %q, %v", user, value, err)
	}
}

func put(t *testing.T, k secrets.Keeper, _ Raw) {
	for _, value := range []string{"first", "second", `"q'\u00`, "second"} {
		if err := k.Put(t.Context(), "i1", Key(value)); err != nil {
			t.Fatal(err)
		}
		want(t, k, "i1", value)
	}
	k.Refused("i1")
	want(t, k, "i1", "second")
}

func token(t *testing.T, k secrets.Keeper, _ Raw) {
	at := time.Date(2026, 11, 30, 19, 0, 0, 0, time.UTC)
	if err := k.Put(t.Context(), "i1", Key("first")); err != nil {
		t.Fatal(err)
	}
	if err := k.Put(t.Context(), "i1", secrets.Key{Bearer: secrets.New("t0ken"), Athlete: "i1", Stored: at}); err != nil {
		t.Fatal(err)
	}
	if c, err := k.Credential(t.Context(), "i1"); err != nil || c.Bearer.Reveal() != "t0ken" || !c.APIKey.IsZero() || !c.Stored.Equal(at) {
		t.Errorf("%+v, %v", c, err)
	}
	if err := k.Put(t.Context(), "i1", secrets.Key{APIKey: secrets.New("k"), Bearer: secrets.New("t"), Athlete: "i1"}); err == nil {
		t.Error("key and token at once were stored")
	}
	if err := k.Put(t.Context(), "i1", Key("third")); err != nil {
		t.Fatal(err)
	}
	want(t, k, "i1", "third")
}

func missing(t *testing.T, k secrets.Keeper, _ Raw) {
	if _, err := k.Credential(t.Context(), "i1"); !errors.Is(err, secrets.ErrNotFound) || secrets.KindOf(err) != secrets.Missing {
		t.Errorf("got %v", err)
	}
}

func apart(t *testing.T, k secrets.Keeper, _ Raw) {
	users := []string{"i1", "i11", "i1-abcdef", "i1_", "a"}
	for _, u := range users {
		if err := k.Put(t.Context(), u, Key("key-"+u)); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, u := range users[:4] {
		want(t, k, u, "key-"+u)
	}
}

func remove(t *testing.T, k secrets.Keeper, _ Raw) {
	ctx := t.Context()
	if err := k.Delete(ctx, "i1"); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	for range 2 {
		if err := k.Put(ctx, "i1", Key("v")); err != nil {
			t.Fatal(err)
		}
		if err := k.Delete(ctx, "i1"); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Credential(ctx, "i1"); !errors.Is(err, secrets.ErrNotFound) {
			t.Errorf("after deletion: %v", err)
		}
	}
}

// NoUsers are texts that are no user ids.
var NoUsers = []string{"", "-", "..", "../i1", "i1/../i2", "i1/", "I1", "i1 ", "i1\n", "*", "é", "arn:aws:secretsmanager:x", "i1?", "_i1"}

func noUser(t *testing.T, k secrets.Keeper, _ Raw) {
	for _, user := range NoUsers {
		_, get := k.Credential(t.Context(), user)
		for op, err := range map[string]error{"get": get, "put": k.Put(t.Context(), user, Key("v")), "delete": k.Delete(t.Context(), user)} {
			if !errors.Is(err, secrets.ErrUser) {
				t.Errorf("%s %q: %v", op, user, err)
			}
		}
	}
}

func badKey(t *testing.T, k secrets.Keeper, _ Raw) {
	for _, value := range []string{"", " ", "a b", "a\n", "ä", "\x00", fmt.Sprintf("%0201d", 1)} {
		if err := k.Put(t.Context(), "i1", Key(value)); err == nil {
			t.Errorf("%q was stored", value)
		}
	}
	if _, err := k.Credential(t.Context(), "i1"); !errors.Is(err, secrets.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func badValues(t *testing.T, k secrets.Keeper, raw Raw) {
	for i, tt := range []struct {
		value string
		kind  secrets.Kind
	}{
		{" ", secrets.Empty},
		{`{"v":1}`, secrets.Empty},
		{`{"v":1,"api_key":"","athlete_id":"i1"}`, secrets.Empty},
		{`{"v":3,"key":{"id":1}}`, secrets.Newer},
		{`{}`, secrets.Malformed},
		{`k3y`, secrets.Malformed},
		{`"k3y"`, secrets.Malformed},
		{`{"v":1,"api_key":5}`, secrets.Malformed},
		{`{"v":1,"api_key":"a b"}`, secrets.Malformed},
		{`{"v":1,"api_key":"k3y"} x`, secrets.Malformed},
	} {
		user := fmt.Sprintf("i%d", i)
		raw(t, user, tt.value)
		_, err := k.Credential(t.Context(), user)
		if secrets.KindOf(err) != tt.kind {
			t.Errorf("%s: %v, want kind %d", tt.value, err, tt.kind)
		}
	}
	raw(t, "i99", `{"v":1,"api_key":"k3y","athlete_id":"i99","more":true}`)
	want(t, k, "i99", "k3y")
	if err := k.Put(t.Context(), "i1", Key("mended")); err != nil {
		t.Fatal(err)
	}
	want(t, k, "i1", "mended")
}

func atTheSameTime(t *testing.T, k secrets.Keeper, _ Raw) {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := k.Put(context.Background(), fmt.Sprintf("i%d", i), Key(fmt.Sprintf("key-%d", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range 8 {
		want(t, k, fmt.Sprintf("i%d", i), fmt.Sprintf("key-%d", i))
	}
}
