package oauth_test

import (
	"testing"
)

func TestAPersonConnectsAClientAndTakesItBack(t *testing.T) {
	onStores(t, func(t *testing.T, w *town) {
		client := w.register("Claude", callback)
		b := w.browser()
		signIn := b.want(b.get(w.ask(client)), 200, "Claude", "API key")
		consent := b.submit(signIn, "/account/signin", "key", keyOf1)
		b.want(consent, 303)
		page := b.want(b.get(consent.Header.Get("Location")), 200, "Connect Claude", "claude.ai", "Athlete i1", "Read and write")
		back := b.want(b.submit(page, "/authorize", "decision", "connect"), 303)
		answer := query(t, back.Header.Get("Location"))
		if answer.Get("state") != "st&te" || answer.Get("iss") != w.url || answer.Get("code") == "" {
			t.Fatalf("the client gets %v", answer)
		}
		access, refresh := w.redeem(client, answer.Get("code"))
		if !w.works(access) {
			t.Fatal("the access token does not work")
		}
		account := b.want(b.get("/account"), 200, "Claude", "Read and write", "Core tools", "before every change")
		b.want(b.submit(account, "/account/connections/"+account.firstID()+"/revoke"), 303)
		if w.works(access) {
			t.Error("the access token works after the connection was revoked")
		}
		b.want(b.get("/account"), 200, "The connection is revoked", "Nothing is connected yet")
		if again, _ := w.token(map[string][]string{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}}); again != "" {
			t.Error("the refresh token works after the connection was revoked")
		}
	})
}
