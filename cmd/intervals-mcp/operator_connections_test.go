package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// identities opens the folder's identities, as the authorization server does.
func (d *desk) identities() *identity.Store {
	d.t.Helper()
	file := embedded.New(d.dir)
	d.t.Cleanup(func() { file.Close() }) //nolint:errcheck // a test
	return identity.NewStore(file.Identity(), time.Now)
}

// connect signs a client in for a user.
func (d *desk) connect(user, name string) identity.Issued {
	d.t.Helper()
	s := d.identities()
	code, _, err := s.Authorize(d.t.Context(), identity.Grant{User: user, Client: "c", Name: name, Redirect: "https://claude.ai/cb", Resource: "https://h/mcp",
		Challenge:   "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", // RFC 7636 appendix B
		Permissions: identity.Permissions{Scopes: []identity.Scope{identity.ScopeRead, identity.ScopeWrite}, Confirm: identity.ConfirmPerson}})
	if err != nil {
		d.t.Fatal(err)
	}
	out, err := s.Redeem(d.t.Context(), identity.Redemption{Code: code, Client: "c", Redirect: "https://claude.ai/cb",
		Verifier: secrets.New("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func TestAnInvitationIsPrintedOnceAloneAndLetsOnePersonIn(t *testing.T) {
	d := newDesk(t)
	_, out, errs := d.run("", "users", "invite", "--athlete", "i7001", "--from", "Jo", "--days", "3")
	link := strings.TrimSuffix(out, "\n")
	code, ok := strings.CutPrefix(link, "http://127.0.0.1:8765/invite/")
	if !ok || strings.ContainsAny(code, " \n/") || !strings.Contains(errs, "for athlete i7001, good once and until "+time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)) {
		t.Fatalf("%q %q", out, errs)
	}
	d.tokens = append(d.tokens, code) // printed once
	s := d.identities()
	i, err := s.Invitation(t.Context(), secrets.New(code))
	if err != nil || i.Athlete != "i7001" || i.By != "Jo" || i.Coach {
		t.Fatalf("%+v, %v", i, err)
	}
	if _, err := s.Enrol(t.Context(), identity.User{ID: "i7002", Athlete: "i7002"}, secrets.New(code)); !errors.Is(err, identity.ErrNoInvitation) {
		t.Errorf("another athlete: %v", err)
	}
	for _, want := range []error{nil, identity.ErrNoInvitation} {
		if _, err := s.Enrol(t.Context(), identity.User{ID: "i7001", Athlete: "i7001"}, secrets.New(code)); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func TestAnInvitationBearsTheDeploymentsAddress(t *testing.T) {
	d := newDesk(t)
	for given, want := range map[string]string{"https://mcp.example.org": "https://mcp.example.org/invite/", "https://mcp.example.org:8443/mcp": "https://mcp.example.org:8443/invite/",
		"http://localhost:9000/": "http://localhost:9000/invite/"} {
		v := d.object("", "users", "invite", "--coach", "--url", given)
		link, _ := v["url"].(string)
		if !strings.HasPrefix(link, want) || v["coach"] != true || v["expires"] == nil {
			t.Errorf("%s: %v", given, v)
		}
		d.tokens = append(d.tokens, strings.TrimPrefix(link, want))
	}
	for _, bad := range []string{"ftp://x", "https://u:p@x", "https://x/y", "https://x?y", "http://10.0.0.1", "x"} {
		d.fails(2, "--url must be", "", "users", "invite", "--url", bad)
	}
}

func TestConnectionsAreListedAndEndedByTheOperator(t *testing.T) {
	d := newDesk(t)
	if out := d.ok("", "users", "invite", "--days", "1"); out == "" { // makes the folder
		t.Fatal("no link")
	}
	d.ok(riderKey, "users", "add", "--athlete", "i7001")
	if out := d.ok("", "connections", "list"); !strings.Contains(out, "There are no connections") {
		t.Errorf("%s", out)
	}
	first, second := d.connect("i7001", "Claude\x1b[2J"), d.connect("i7001", "ChatGPT")
	id := first.Connection.ID
	out := d.ok("", "connections", "list", "--user", "I7001")
	for _, want := range []string{id, "active", "claude.ai", "Claude", "write", "person", second.Connection.ID} {
		if !strings.Contains(out, want) {
			t.Errorf("lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	d.fails(2, "--yes", "y\n", "connections", "revoke", id)
	d.fails(1, "there is no connection", "", "connections", "revoke", "i7001-0000000000", "--yes")
	d.fails(1, "there is no connection", "", "connections", "revoke", "x", "--yes")
	d.ok("", "connections", "revoke", strings.ToUpper(id), "--yes")
	token, err := d.identities().Refresh(t.Context(), identity.Renewal{Token: first.Refresh, Client: "c"})
	if !errors.Is(err, identity.ErrInvalidGrant) {
		t.Errorf("a revoked connection is refreshed: %v, %v", token, err)
	}
	v := d.object("", "users", "show", "i7001")
	states := map[any]any{}
	for _, c := range v["connections"].([]any) {
		states[c.(map[string]any)["id"]] = c.(map[string]any)["state"]
	}
	if states[id] != "revoked" || states[second.Connection.ID] != "active" {
		t.Errorf("%v", states)
	}
	d.token("--user", "i7001", "--days", "30", "--scope", "read", "--confirm", "person")
	_, _, errs := d.run("", "tokens", "revoke", "--all", "--user", "i7001")
	if !strings.Contains(errs, "ChatGPT (claude.ai)") {
		t.Errorf("%s", errs)
	}
	if out := d.ok("", "tokens", "revoke", "--all", "--user", "i7001", "--yes"); out != "1 token and 1 connection of user i7001 revoked.\n" {
		t.Errorf("%q", out)
	}
	if out := d.ok("", "connections", "list"); strings.Contains(out, "active") {
		t.Errorf("%s", out)
	}
	for _, secret := range []secrets.Secret{first.Access, first.Refresh, second.Access, second.Refresh} {
		if strings.Contains(d.printed.String(), secret.Reveal()) {
			t.Error("a token of a connection was printed")
		}
	}
}

func TestPersonIsASettingOfServeAndNotOfStdio(t *testing.T) {
	status, _, errs := finish(t, environ(t), "", "stdio", "--demo", "--confirm", "person")
	if status != 2 || !strings.Contains(errs, "wants a page on which you approve each change, and stdio has none") {
		t.Errorf("%d %q", status, errs)
	}
	r := launch(t, environ(t, "LOG_LEVEL=warn"), "serve", "--demo", "--addr", "127.0.0.1:0", "--confirm", "person")
	_, answer := r.rpc(toolCall("add_or_update_event", `{"name":"Threshold","workout_type":"Ride","start_date":"+2d","moving_time":3600}`))
	if page := strings.TrimSuffix(r.text("url"), "/mcp") + "/account/changes/"; !strings.Contains(answer, `"approve_url":"`+page) || strings.Contains(answer, `"confirmation"`) {
		t.Errorf("%s", answer)
	}
}
