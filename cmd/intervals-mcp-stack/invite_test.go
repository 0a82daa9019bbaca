package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

func TestAStacksInvitationBearsItsAddressAndItsConnectionsCanBeEnded(t *testing.T) {
	a := newAccount(t)
	link := strings.TrimSpace(a.ok("", "users", "invite", "--athlete", "i7002", "--coach"))
	code, ok := strings.CutPrefix(link, strings.TrimSuffix(a.outputs["McpUrl"], "/mcp")+"/invite/")
	if !ok {
		t.Fatalf("%q", link)
	}
	a.tokens = append(a.tokens, code)
	s := identity.NewStore(a.mcp.table, time.Now)
	u, err := s.Enrol(t.Context(), identity.User{ID: "i7002", Athlete: "i7002", Coach: true, Athletes: []string{"i7001"}}, secrets.New(code))
	if err != nil || !u.Coach {
		t.Fatalf("%+v, %v", u, err)
	}
	grant, _, err := s.Authorize(t.Context(), identity.Grant{User: "i7002", Client: "c", Name: "Claude", Redirect: "https://claude.ai/cb", Resource: a.outputs["McpUrl"],
		Challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", Permissions: identity.Permissions{Scopes: []identity.Scope{identity.ScopeRead}}})
	if err != nil {
		t.Fatal(err)
	}
	issued, err := s.Redeem(t.Context(), identity.Redemption{Code: grant, Client: "c", Redirect: "https://claude.ai/cb", Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")})
	if err != nil {
		t.Fatal(err)
	}
	id := issued.Connection.ID
	if out := a.ok("", "connections", "list"); !strings.Contains(out, id) || !strings.Contains(out, "claude.ai") || !strings.Contains(out, "self, i7001") {
		t.Errorf("%s", out)
	}
	a.ok("", "connections", "revoke", id, "--yes")
	if record, err := a.mcp.table.Token(t.Context(), identity.HashOf(issued.Access.Reveal())); err != nil || !errors.Is(record.Usable(time.Now()), identity.ErrRevoked) {
		t.Errorf("%+v, %v", record, err)
	}
}
