package oauth

import (
	"net/url"
	"testing"

	"intervals-mcp/internal/identity"
)

func TestAConnectionRevokedOnThePageEndsItsTokens(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		got := r.connected(claudeID)
		list, err := r.ids.Connections(t.Context(), athlete)
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		if err := r.ids.RevokeConnection(t.Context(), athlete, list[0].ID); err != nil {
			t.Fatal(err)
		}
		if r.works(got.text("access_token")) {
			t.Error("the access token works")
		}
		r.want(r.refresh(claudeID, got.text("refresh_token")), 400, "invalid_grant")
	})
}

func TestRFC7009_RevocationEndsTheConnection(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		for _, which := range []string{"access_token", "refresh_token"} {
			got := r.connected(claudeID)
			v := url.Values{"token": {got.text(which)}, "client_id": {claudeID}, "token_type_hint": {"something"}}
			r.want(r.send("POST", "/revoke", v.Encode()), 200, "")
			r.want(r.send("POST", "/revoke", v.Encode()), 200, "") // again
			if r.works(got.text("access_token")) {
				t.Errorf("revoked by its %s, the access token works", which)
			}
			r.want(r.refresh(claudeID, got.text("refresh_token")), 400, "invalid_grant")
		}
	})
}

func TestRFC7009_AnUnknownTokenIsAsGoodAsRevoked(t *testing.T) {
	r := newRig(t, nil)
	for _, token := range []string{"x", identity.NewToken(identity.KindRefresh).Reveal(), identity.NewToken(identity.KindAccess).Reveal(), identity.NewToken(identity.KindPersonal).Reveal()} {
		r.want(r.send("POST", "/revoke", "client_id="+claudeID+"&token="+token), 200, "")
	}
	r.want(r.send("POST", "/revoke", "client_id="+claudeID), 400, "invalid_request")
}

func TestRFC7009_AnotherClientsOrAPersonalTokenIsNotRevoked(t *testing.T) {
	onStores(t, func(t *testing.T, r *rig) {
		got := r.connected(claudeID)
		for _, which := range []string{"access_token", "refresh_token"} {
			r.want(r.send("POST", "/revoke", "client_id="+r.publicClient()+"&token="+got.text(which)), 400, "invalid_grant")
		}
		if !r.works(got.text("access_token")) {
			t.Error("it was revoked")
		}
		secret, _, err := r.ids.CreateToken(t.Context(), identity.Request{User: athlete, Scopes: allScopes})
		if err != nil {
			t.Fatal(err)
		}
		r.want(r.send("POST", "/revoke", "client_id="+claudeID+"&token="+secret.Reveal()), 200, "")
		if tok, err := r.table.Token(t.Context(), identity.HashOf(secret.Reveal())); err != nil || tok.Usable(r.now()) != nil {
			t.Errorf("a personal token was revoked: %v", err)
		}
	})
}
