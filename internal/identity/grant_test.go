package identity_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/identity/identitytest"
	"intervals-mcp/internal/secrets"
)

func TestAThousandRefreshesAtOnceRotateOnce(t *testing.T) {
	identitytest.Storm(t, &identity.Memory{}, 1000)
}

// peek is a Table that keeps what was last written of an account.
type peek struct {
	identity.Memory
	user        map[string]string
	connections []map[string]string
	changes     identity.Changes
}

func (p *peek) Save(ctx context.Context, a identity.Account, c identity.Changes) error {
	p.user, p.connections = a.Fields()
	p.changes = c
	return p.Memory.Save(ctx, a, c)
}

// connected gives a table with one connection that was refreshed once.
func connected(t *testing.T) (*peek, *identity.Store, identity.Issued) {
	t.Helper()
	p := &peek{}
	s := identity.NewStore(p, time.Now)
	if _, err := s.AddUser(t.Context(), identitytest.Athlete); err != nil {
		t.Fatal(err)
	}
	code, _, err := s.Authorize(t.Context(), identity.Grant{User: "i1", Client: "c", Redirect: "http://localhost:1/cb", Resource: "https://h/mcp",
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{"read"}}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Redeem(t.Context(), identity.Redemption{Code: code, Client: "c", Redirect: "http://localhost:1/cb",
		Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")}) // RFC 7636 appendix B
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Refresh(t.Context(), identity.Renewal{Token: first.Refresh, Client: "c"})
	if err != nil {
		t.Fatal(err)
	}
	return p, s, second
}

func TestOnlyWhatNeedsANewerReleaseIsClosedToAnOlderOne(t *testing.T) {
	p, s, _ := connected(t)
	if p.user["v"] != "2" || p.connections[0]["v"] != "2" || p.changes.Tokens[0].Fields()["v"] != "2" || p.changes.Notes[0].Fields["v"] != "2" {
		t.Errorf("an older release would overlook audience or connections: %v %v", p.user, p.changes)
	}
	if _, err := s.AddUser(t.Context(), identitytest.Coach); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.CreateToken(t.Context(), identity.Request{User: "i9", Scopes: []identity.Scope{"read"}}); err != nil {
		t.Fatal(err)
	}
	if p.user["v"] != "1" || p.changes.Tokens[0].Fields()["v"] != "1" {
		t.Errorf("an older release cannot read a user or a personal token: %v", p.user)
	}
}

func TestAConnectionOfANewerReleaseOrADamagedOneIsRefused(t *testing.T) {
	p, _, _ := connected(t)
	read := func(change map[string]string) error {
		f := maps.Clone(p.connections[0])
		maps.Copy(f, change)
		_, err := identity.AccountOf("r", p.user, []map[string]string{f}, nil)
		return err
	}
	if err := read(nil); err != nil {
		t.Fatal(err)
	}
	if err := read(map[string]string{"v": "3"}); !errors.Is(err, identity.ErrNewer) {
		t.Errorf("newer: %v", err)
	}
	next := p.connections[0]["next"]
	for _, change := range []map[string]string{
		{"v": "x"}, {"connection": ""}, {"connection": "i2-abcdefghij"}, {"client": ""}, {"resource": ""}, {"redirect": "x"}, {"scopes": ""},
		{"scopes": "read fly"}, {"toolset": ""}, {"confirm": "maybe"}, {"created": ""}, {"created": "then"}, {"connected": ""}, {"revoked": "1"},
		{"code": ""}, {"prev": "x"}, {"next": ""}, {"next": next + " x"}, {"next": next[:64]}, {"next": next[:70] + ":" + next[130:]}, {"next": next + "x"}, {"challenge": "x"},
	} {
		if err := read(change); !errors.Is(err, identity.ErrDamaged) {
			t.Errorf("%v: %v", change, err)
		}
	}
}

func TestWhatIsStoredOfAConnectionIsNoTokenAndItsReferencesNameNobody(t *testing.T) {
	p, _, last := connected(t)
	all := fmt.Sprint(p.user, p.connections, p.changes)
	for _, token := range []secrets.Secret{last.Access, last.Refresh} {
		if body := token.Reveal()[9:40]; strings.Contains(all, body) {
			t.Errorf("a token is stored: %s", all)
		}
	}
	note := fmt.Sprint(p.changes.Notes)
	if strings.Contains(note, last.Connection.ID) {
		t.Errorf("a reference names its connection: %s", note)
	}
}

func TestATokenAnswerAndAConnectionDoNotPrintSecrets(t *testing.T) {
	_, _, last := connected(t)
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "issued", last, "connection", last.Connection)
	j, err := json.Marshal(last)
	if err != nil {
		t.Fatal(err)
	}
	all := log.String() + string(j) + fmt.Sprintf("%v %+v %#v", last, last, last.Connection)
	if sum := identity.HashOf(last.Refresh.Reveal()); strings.Contains(all, strings.Trim(fmt.Sprint([32]byte(sum)), "[]")[:30]) {
		t.Errorf("a hash is shown: %s", all)
	}
	for _, token := range []secrets.Secret{last.Access, last.Refresh} {
		if strings.Contains(all, token.Reveal()[9:30]) || strings.Contains(all, identity.HashOf(token.Reveal()).Hex()) {
			t.Errorf("shown: %s", all)
		}
	}
}

func TestTheResourceIsTheEndpointOfAnOrigin(t *testing.T) {
	for _, origin := range []string{"https://h", "https://h/"} {
		if got := identity.Resource(origin); got != "https://h/mcp" {
			t.Errorf("%s: %s", origin, got)
		}
	}
}

func TestTheOwnerOfAnIDIsItsUser(t *testing.T) {
	for id, want := range map[string]string{"i1-abc": "i1", "a-b-c": "a-b", "i1": "", "-abc": "", "": "", "I1-abc": ""} {
		if got, ok := identity.OwnerOf(id); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", id, got, ok)
		}
	}
}
