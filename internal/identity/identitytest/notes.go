package identitytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

var noteTests = []test{
	{"a client registers and is found again", register},
	{"a registered client lives 90 days from its last use", clientLife},
	{"a metadata document is kept until its end", documents},
	{"a bad client is refused with the field at fault", badClients},
	{"an invitation lets one person enrol", invite},
	{"an invitation used by twenty at once lets one in", inviteStorm},
	{"an invitation ends, can be withdrawn, and is for its athlete", inviteBounds},
	{"without invitation a user is enrolled by the caller's word", enrolByWord},
	{"a note of a newer release is refused and left alone, a damaged one refused", badNotes},
	{"a note is put, read and dropped", notes},
}

func client() identity.Client {
	return identity.Client{Name: "Claude", Redirects: []string{callback, "http://localhost/callback?a=1"}, AuthMethod: identity.AuthPost,
		Grants: []string{"authorization_code", "refresh_token"}, URI: "https://claude.ai", Logo: "https://claude.ai/logo.png"}
}

func register(t *testing.T, w *world) {
	ctx := t.Context()
	for _, method := range []identity.AuthMethod{"", identity.AuthNone, identity.AuthBasic, identity.AuthPost} {
		c := client()
		c.AuthMethod = method
		made, secret, err := w.store.Register(ctx, c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := w.store.Client(ctx, made.ID)
		if err != nil || !reflect.DeepEqual(got, made) || got.Name != "Claude" || len(got.Redirects) != 2 || !got.Expires.Equal(w.now.Add(identity.ClientLife)) {
			t.Errorf("%q: got %+v, %v\nwant %+v", method, got, err, made)
		}
		if open := method == "" || method == identity.AuthNone; open != secret.IsZero() || open == got.Verify(secret) {
			t.Errorf("%q: secret given: %v, verified: %v", method, !secret.IsZero(), got.Verify(secret))
		}
		if got.Verify(secrets.New(secret.Reveal()+"x")) || got.Verify(secrets.Secret{}) {
			t.Errorf("%q: a wrong secret is verified", method)
		}
	}
	for _, id := range []string{"", "client-nosuch", strings.Repeat("x", 5000), "i1"} {
		if _, err := w.store.Client(ctx, id); !errors.Is(err, identity.ErrNoClient) {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}

func clientLife(t *testing.T, w *world) {
	ctx := t.Context()
	c, _, err := w.store.Register(ctx, client())
	if err != nil {
		t.Fatal(err)
	}
	start := w.now
	w.now = start.Add(23 * time.Hour)
	if err := w.store.RenewClient(ctx, c); err != nil {
		t.Fatal(err)
	}
	if got, err := w.store.Client(ctx, c.ID); err != nil || !got.Expires.Equal(c.Expires) {
		t.Errorf("renewed within a day: %v, %v", got.Expires, err)
	}
	w.now = start.Add(identity.ClientLife - time.Second)
	if err := w.store.RenewClient(ctx, c); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(identity.ClientLife - time.Second)
	if got, err := w.store.Client(ctx, c.ID); err != nil || !got.Verify(secrets.Secret{}) && got.Secret != c.Secret {
		t.Errorf("a second before the end: %v", err)
	}
	w.now = w.now.Add(time.Second)
	if _, err := w.store.Client(ctx, c.ID); !errors.Is(err, identity.ErrNoClient) {
		t.Errorf("at the end: %v", err)
	}
}

func documents(t *testing.T, w *world) {
	ctx := t.Context()
	c := client()
	c.ID, c.AuthMethod, c.Expires = claude, identity.AuthNone, w.now.Add(time.Hour)
	if err := w.store.KeepDocument(ctx, c); err != nil {
		t.Fatal(err)
	}
	got, err := w.store.Client(ctx, claude)
	if err != nil || !got.Document || got.ID != claude || !got.Expires.Equal(c.Expires) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := w.store.Client(ctx, claude+"/"); !errors.Is(err, identity.ErrNoClient) {
		t.Errorf("another address: %v", err)
	}
	if err := w.store.RenewClient(ctx, got); err != nil {
		t.Error(err)
	}
	if got, err = w.store.Client(ctx, claude); err != nil || !got.Expires.Equal(c.Expires) {
		t.Errorf("a document's use puts off its next fetch: %v, %v", got.Expires, err)
	}
	c.Name, c.Expires = "Claude 2", w.now.Add(2*time.Hour)
	if err := w.store.KeepDocument(ctx, c); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	if got, err = w.store.Client(ctx, claude); err != nil || got.Name != "Claude 2" {
		t.Errorf("fetched again: %+v, %v", got, err)
	}
	w.now = w.now.Add(time.Hour)
	if _, err := w.store.Client(ctx, claude); !errors.Is(err, identity.ErrNoClient) {
		t.Errorf("at its end: %v", err)
	}
}

func badClients(t *testing.T, w *world) {
	for name, tt := range map[string]struct {
		field  string
		change func(*identity.Client)
	}{
		"method":         {"token_endpoint_auth_method", func(c *identity.Client) { c.AuthMethod = "private_key_jwt" }},
		"no redirect":    {"redirect_uris", func(c *identity.Client) { c.Redirects = nil }},
		"many redirects": {"redirect_uris", func(c *identity.Client) { c.Redirects = make([]string, 11) }},
		"long redirect":  {"redirect_uris", func(c *identity.Client) { c.Redirects = []string{strings.Repeat("x", 2049)} }},
		"line break":     {"redirect_uris", func(c *identity.Client) { c.Redirects = []string{"https://a\nhttps://b"} }},
		"many grants":    {"grant_types", func(c *identity.Client) { c.Grants = make([]string, 11) }},
		"long uri":       {"client_uri", func(c *identity.Client) { c.URI = strings.Repeat("x", 2049) }},
		"logo":           {"logo_uri", func(c *identity.Client) { c.Logo = "a b" }},
	} {
		c := client()
		tt.change(&c)
		var input *identity.InputError
		if _, _, err := w.store.Register(t.Context(), c); !errors.As(err, &input) || input.Field != tt.field {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.store.KeepDocument(t.Context(), client()); err == nil {
		t.Error("a document without address is kept")
	}
}

func invite(t *testing.T, w *world) {
	ctx := t.Context()
	code, made, err := w.store.Invite(ctx, identity.Invitation{By: "operator", Coach: true, Athletes: []string{"i3", "i1"}}, 7*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.store.Invitation(ctx, code)
	if err != nil || !reflect.DeepEqual(got, made) || !got.Expires.Equal(w.now.AddDate(0, 0, 7)) || fmt.Sprint(got.Athletes) != "[i1 i3]" {
		t.Errorf("got %+v, %v; want %+v", got, err, made)
	}
	w.add(t, Athlete)
	if _, err := w.store.Enrol(ctx, Athlete, code); !errors.Is(err, identity.ErrExists) {
		t.Errorf("somebody enrolled: %v", err)
	}
	u, err := w.store.Enrol(ctx, Coach, code) // it stayed good
	if err != nil || u.ID != "i9" || !u.Coach || u.Epoch == "" {
		t.Fatalf("%+v, %v", u, err)
	}
	if stored, err := w.store.User(ctx, "i9"); err != nil || !reflect.DeepEqual(stored, u) {
		t.Errorf("%+v, %v", stored, err)
	}
	if _, err := w.store.Enrol(ctx, identity.User{ID: "i2", Athlete: "i2"}, code); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("a second time: %v", err)
	}
	if _, err := w.store.Invitation(ctx, code); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("a used one: %v", err)
	}
}

func inviteStorm(t *testing.T, w *world) {
	code, _, err := w.store.Invite(t.Context(), identity.Invitation{}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var in atomic.Int32
	together(20, func(i int) {
		id := fmt.Sprint("i", i)
		_, err := w.store.Enrol(context.Background(), identity.User{ID: id, Athlete: id}, code)
		if err == nil {
			in.Add(1)
		} else if !errors.Is(err, identity.ErrNoInvitation) {
			t.Error(err)
		}
	})
	if all, err := w.store.Users(t.Context()); err != nil || len(all) != 1 || in.Load() != 1 {
		t.Errorf("%d enrolled, %d were told so, %v", len(all), in.Load(), err)
	}
}

func inviteBounds(t *testing.T, w *world) {
	ctx := t.Context()
	make := func(i identity.Invitation) secrets.Secret {
		t.Helper()
		code, _, err := w.store.Invite(ctx, i, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	for name, tt := range map[string]struct {
		code secrets.Secret
		user identity.User
	}{
		"for another athlete": {make(identity.Invitation{Athlete: "i2"}), Athlete},
		"not for a coach":     {make(identity.Invitation{}), Coach},
		"unknown":             {identity.NewToken(identity.KindInvite), Athlete},
		"another token":       {identity.NewToken(identity.KindPersonal), Athlete},
		"misspelt":            {secrets.New("imcp_inv_x"), Athlete},
	} {
		if _, err := w.store.Enrol(ctx, tt.user, tt.code); !errors.Is(err, identity.ErrNoInvitation) {
			t.Errorf("%s: %v", name, err)
		}
	}
	gone, late := make(identity.Invitation{}), make(identity.Invitation{Athlete: "I1"})
	for range 2 {
		if err := w.store.Withdraw(ctx, gone); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.store.Enrol(ctx, Athlete, gone); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("withdrawn: %v", err)
	}
	w.now = w.now.Add(time.Hour)
	if _, err := w.store.Enrol(ctx, Athlete, late); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("at its end: %v", err)
	}
	if all, err := w.store.Users(ctx); err != nil || len(all) != 0 {
		t.Errorf("enrolled %v, %v", all, err)
	}
	for field, i := range map[string]identity.Invitation{"athlete": {Athlete: "0"}, "athletes": {Athletes: []string{"i2"}}, "user": {Athlete: "a/b"}} {
		var input *identity.InputError
		if _, _, err := w.store.Invite(ctx, i, time.Hour); !errors.As(err, &input) || input.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, life := range []time.Duration{0, -time.Hour, identity.MaxInvitation + 1} {
		if _, _, err := w.store.Invite(ctx, identity.Invitation{}, life); err == nil {
			t.Errorf("good for %v", life)
		}
	}
}

func enrolByWord(t *testing.T, w *world) {
	u, err := w.store.Enrol(t.Context(), Athlete, secrets.Secret{})
	if err != nil || u.ID != "i1" {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := w.store.Enrol(t.Context(), Athlete, secrets.Secret{}); !errors.Is(err, identity.ErrExists) {
		t.Errorf("again: %v", err)
	}
}

// rewriteNote changes what is stored under a text, as another release or a
// fault would.
func (w *world) rewriteNote(t *testing.T, kind identity.NoteKind, of string, change map[string]string) identity.Note {
	t.Helper()
	n, err := w.table.Note(t.Context(), kind, identity.HashOf(of).Hex())
	if err != nil {
		t.Fatal(err)
	}
	was := n
	n.Fields = maps.Clone(n.Fields)
	maps.Copy(n.Fields, change)
	maps.DeleteFunc(n.Fields, func(_, v string) bool { return v == "" })
	if err := w.table.PutNote(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	return was
}

func badNotes(t *testing.T, w *world) {
	ctx := t.Context()
	w.add(t, Athlete)
	c, _, err := w.store.Register(ctx, client())
	if err != nil {
		t.Fatal(err)
	}
	invitation, _, err := w.store.Invite(ctx, identity.Invitation{}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	code, _ := w.authorize(t, grant("i1"))
	line := w.connect(t, grant("i1"))
	for _, tt := range []struct {
		kind   identity.NoteKind
		of     string
		ask    func() error
		damage map[string]string
	}{
		{identity.NoteClient, c.ID, func() error { _, err := w.store.Client(ctx, c.ID); return err }, map[string]string{"secret": "x", "id": "client-x"}},
		{identity.NoteClient, c.ID, func() error { _, err := w.store.Client(ctx, c.ID); return err }, map[string]string{"secret": ""}},
		{identity.NoteClient, c.ID, func() error { _, err := w.store.Client(ctx, c.ID); return err }, map[string]string{"redirects": ""}},
		{identity.NoteClient, c.ID, func() error { _, err := w.store.Client(ctx, c.ID); return err }, map[string]string{"id": "client-x"}},
		{identity.NoteInvite, invitation.Reveal(), func() error {
			_, err := w.store.Enrol(ctx, identity.User{ID: "i2", Athlete: "i2"}, invitation)
			return err
		}, map[string]string{"created": "then"}},
		{identity.NoteRef, code.Reveal(), func() error { _, err := w.store.Redeem(ctx, redemption(code)); return err }, map[string]string{"sealed": "AAAA"}},
		{identity.NoteRef, line.Refresh.Reveal(), func() error { _, err := w.store.Refresh(ctx, renewal(line.Refresh)); return err }, map[string]string{"sealed": "!"}},
	} {
		was := w.rewriteNote(t, tt.kind, tt.of, map[string]string{"v": "3"})
		if err := tt.ask(); !errors.Is(err, identity.ErrNewer) {
			t.Errorf("newer %s: %v", tt.kind, err)
		}
		if err := w.table.PutNote(ctx, was); err != nil {
			t.Fatal(err)
		}
		w.rewriteNote(t, tt.kind, tt.of, tt.damage)
		if err := tt.ask(); !errors.Is(err, identity.ErrDamaged) {
			t.Errorf("%s with %v: %v", tt.kind, tt.damage, err)
		}
		if err := w.table.PutNote(ctx, was); err != nil {
			t.Fatal(err)
		}
		if tt.kind != identity.NoteInvite {
			if err := tt.ask(); err != nil && !errors.Is(err, identity.ErrReplayed) {
				t.Errorf("%s as it was: %v", tt.kind, err)
			}
		}
	}
}

func notes(t *testing.T, w *world) {
	ctx := t.Context()
	n := identity.Note{Kind: identity.NoteClient, Key: identity.HashOf("x").Hex(), Fields: map[string]string{"a": "b", "long": strings.Repeat("ä", 5000)}, Expires: w.now.Add(time.Hour)}
	if _, err := w.table.Note(ctx, n.Kind, n.Key); !errors.Is(err, identity.ErrNoNote) {
		t.Errorf("before: %v", err)
	}
	if err := w.table.DropNote(ctx, n.Kind, n.Key); err != nil {
		t.Errorf("nothing dropped: %v", err)
	}
	for range 2 {
		if err := w.table.PutNote(ctx, n); err != nil {
			t.Fatal(err)
		}
		got, err := w.table.Note(ctx, n.Kind, n.Key)
		if err != nil || !reflect.DeepEqual(got, n) {
			t.Errorf("got %+v, %v", got, err)
		}
		n.Fields = map[string]string{"c": "d"} // the other fields go
	}
	if _, err := w.table.Note(ctx, identity.NoteInvite, n.Key); !errors.Is(err, identity.ErrNoNote) {
		t.Errorf("of another kind: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.table.Note(canceled, n.Kind, n.Key); err == nil || errors.Is(err, identity.ErrNoNote) {
		t.Errorf("after the deadline: %v", err)
	}
	if err := w.table.DropNote(ctx, n.Kind, n.Key); err != nil {
		t.Error(err)
	}
	if _, err := w.table.Note(ctx, n.Kind, n.Key); !errors.Is(err, identity.ErrNoNote) {
		t.Errorf("dropped: %v", err)
	}
	// A note that an account's change takes must be there, or nothing is written.
	a := identity.Account{User: identity.User{ID: "i1", Athlete: "i1"}}
	if err := w.table.Save(ctx, a, identity.Changes{Take: &n, Notes: []identity.Note{{Kind: n.Kind, Key: identity.HashOf("y").Hex(), Expires: n.Expires}}}); !errors.Is(err, identity.ErrConflict) {
		t.Errorf("taking what is gone: %v", err)
	}
	if _, err := w.table.Account(ctx, "i1"); !errors.Is(err, identity.ErrNoUser) {
		t.Errorf("half of it was written: %v", err)
	}
	if _, err := w.table.Note(ctx, n.Kind, identity.HashOf("y").Hex()); !errors.Is(err, identity.ErrNoNote) {
		t.Errorf("half of it was written: %v", err)
	}
}
