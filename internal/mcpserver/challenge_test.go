package mcpserver

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

const metadataURL = "https://mcp.example/.well-known/oauth-protected-resource/mcp"

func withSignIn(_ *Options, e *Edge) {
	e.Metadata = func(context.Context) string { return metadataURL }
}

// parts reads a challenge: its parameters, each once.
func parts(t *testing.T, challenge string) map[string]string {
	t.Helper()
	rest, ok := strings.CutPrefix(challenge, "Bearer ")
	if !ok {
		t.Errorf("challenge %q is not Bearer", challenge)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile(`(?:^|, )([a-z_]+)="([^"]*)"`).FindAllStringSubmatch(rest, -1) {
		if _, twice := all[m[1]]; twice {
			t.Errorf("%s comes twice in %q", m[1], challenge)
		}
		all[m[1]] = m[2]
	}
	return all
}

// meta is the challenge in a body, where ChatGPT reads it.
func meta(r reply, keys ...string) string {
	list, _ := r.at(append(keys, "_meta", "mcp/www_authenticate")...).([]any)
	if len(list) != 1 {
		return ""
	}
	s, _ := list[0].(string)
	return s
}

func TestR2_EveryUnauthenticatedRequestIsChallengedBeforeAnythingElse(t *testing.T) {
	r := newRig(t, withSignIn)
	for _, method := range []string{"GET", "DELETE", "PUT", "OPTIONS", "POST"} {
		for _, auth := range []string{"", "Bearer wrong", "Basic eDp5"} {
			for _, body := range []string{"", "no JSON", list} {
				got := r.send(t, method, Path, body, "Authorization", auth)
				wantStatus(t, got, 401)
				if c := parts(t, got.Header.Get("WWW-Authenticate")); c["resource_metadata"] != metadataURL || c["scope"] != "read write" {
					t.Errorf("%s: %v", method, c)
				}
			}
		}
	}
}

func TestR4_AWrongTokenIs401AndAMissingScopeIs403(t *testing.T) {
	r := newRig(t, withSignIn)
	wantStatus(t, r.post(t, list, "Authorization", "Bearer wrong"), 401)
	wantStatus(t, r.post(t, call("aa_write"), "Authorization", "Bearer reader"), 403)
}

func TestR5_ATokenInTheURIIsNoToken(t *testing.T) {
	r := newRig(t, withSignIn)
	wantStatus(t, r.send(t, "POST", Path+"?access_token=writer", list, "Authorization", ""), 401)
	wantStatus(t, r.send(t, "POST", Path, "access_token=writer", "Authorization", "", "Content-Type", "application/x-www-form-urlencoded"), 401)
}

func TestR6_WriteImpliesRead(t *testing.T) {
	r := newRig(t, withSignIn)
	wantStatus(t, r.post(t, call("zz_read"), "Authorization", "Bearer writer"), 200)
}

func TestR8_InsufficientScopeNamesAllThatIsNeededAtOnce(t *testing.T) {
	r := newRig(t, withSignIn)
	for name, got := range map[string]reply{
		"legacy": r.post(t, call("aa_write"), "Authorization", "Bearer reader"),
		"modern": r.modern(t, "tools/call", `"name":"aa_write"`, "aa_write", "Authorization", "Bearer reader"),
	} {
		wantStatus(t, got, 403)
		h := got.Header.Get("WWW-Authenticate")
		c := parts(t, h)
		if c["error"] != "insufficient_scope" || c["scope"] != "read write" || c["resource_metadata"] != metadataURL || c["error_description"] == "" {
			t.Errorf("%s: %v", name, c)
		}
		if meta(got, "result") != h {
			t.Errorf("%s: the body says %s", name, got.body)
		}
	}
}

func TestR9_NoChallengeAsksForOfflineAccess(t *testing.T) {
	r := newRig(t, withSignIn)
	for _, got := range []reply{r.post(t, list, "Authorization", ""), r.post(t, call("aa_write"), "Authorization", "Bearer reader")} {
		if strings.Contains(got.Header.Get("WWW-Authenticate")+got.body, "offline_access") {
			t.Error(got.body)
		}
	}
}

func TestRFC6750_NoErrorCodeWhereNoTokenWasSent(t *testing.T) {
	r := newRig(t, withSignIn)
	if c := parts(t, r.post(t, list, "Authorization", "").Header.Get("WWW-Authenticate")); c["error"] != "" || c["error_description"] != "" {
		t.Error(c)
	}
	if c := parts(t, r.post(t, list, "Authorization", "Bearer wrong").Header.Get("WWW-Authenticate")); c["error"] != "invalid_token" {
		t.Error(c)
	}
}

// Some of AWS's front doors rename the header: the body must be enough.
func TestTheBodyOfARefusalSaysAllThatTheHeaderSays(t *testing.T) {
	r := newRig(t, withSignIn)
	got := r.post(t, list, "Authorization", "Bearer wrong")
	if got.at("error") != "invalid_token" || got.at("resource_metadata") != metadataURL || got.at("scope") != "read write" || got.at("error_description") == nil {
		t.Error(got.body)
	}
	if meta(got) != got.Header.Get("WWW-Authenticate") {
		t.Errorf("_meta differs from the header: %s", got.body)
	}
	if got.Header.Get("Cache-Control") != "no-store" {
		t.Error("a refusal may be cached")
	}
}
