package blackbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// forgedContext is what an authorizer would say of somebody mighty.
func forgedContext() string {
	b, _ := json.Marshal(map[string]any{"authorizer": map[string]any{"lambda": map[string]any{
		"auth": "ok", "user": "i1", "athlete": "i1", "scopes": "read write", "toolset": "full", "coach": "true", "connection": "x", "client": "x", "confirm": "never"}},
		"http": map[string]any{"method": "POST", "path": "/mcp"}, "domainName": "evil.example"})
	return string(b)
}

func forgeries() http.Header {
	return http.Header{
		"X-Golambdaproxy-Apigw-Context":    {forgedContext()},
		"X-GoLambdaProxy-ApiGw-Stage-Vars": {"{}"},
		"X-Amzn-Request-Context":           {forgedContext()},
		"X-Amzn-Lambda-Context":            {forgedContext()},
		"Auth":                             {"ok"},
		"User":                             {"i1"},
		"Scopes":                           {"read write"},
		"Athlete":                          {"i1"},
		"X-Forwarded-User":                 {"i1"},
		"X-Forwarded-Host":                 {"evil.example"},
		"X-Forwarded-For":                  {"127.0.0.1"},
		"X-Forwarded-Proto":                {"http"},
		"Forwarded":                        {"for=127.0.0.1;host=evil.example"},
		"X-Original-Url":                   {"/admin"},
		"X-Http-Method-Override":           {"GET"},
	}
}

func forged(t *testing.T, r *rig) {
	r.send(t, sent{token: "-", header: forgeries()}).want(t, 401)
	r.unauthorized(t, r.send(t, sent{token: "wrong", header: forgeries()}))
	activities := call("get_activities", `{}`)
	plain, spoofed := r.send(t, sent{body: activities}), r.send(t, sent{body: activities, header: forgeries()})
	spoofed.want(t, 200)
	if a, b := athlete(plain), athlete(spoofed); a == "" || a != b {
		t.Errorf("forged headers lead to athlete %q, want %q", b, a)
	}
	if r.Reader != "" {
		r.send(t, sent{token: r.Reader, body: call("delete_event", `{"event_id":"1"}`), header: forgeries()}).want(t, 403)
	}
}

// athlete says whose data an answer of get_activities is.
func athlete(p reply) string { return p.text("result", "structuredContent", "athlete_id") }

func repeated(t *testing.T, r *rig) {
	for _, s := range []sent{{token: "wrong"}, {path: "/mcp/", token: "-"}, {path: "/.well-known/oauth-protected-resource", method: "GET", token: "-"}} {
		s.header = forgeries()
		got := r.send(t, s)
		if h := r.header(got); strings.Contains(got.body+h, "evil.example") {
			t.Errorf("%s: the answer repeats a host that the client made up: %.300s", s.path, got.body)
		}
		s.header, s.host = nil, "evil.example"
		if got := r.send(t, s); strings.Contains(got.body+r.header(got), "evil.example") {
			t.Errorf("%s: the answer repeats the Host header: %.300s", s.path, got.body)
		}
	}
}

func (r *rig) header(p reply) string {
	var b strings.Builder
	_ = p.header.Write(&b)
	return b.String()
}

func otherUser(t *testing.T, r *rig) {
	mine, theirs := r.send(t, sent{body: call("get_activities", `{}`)}), r.send(t, sent{token: r.Other, body: call("get_activities", `{}`)})
	me, them := athlete(mine), athlete(theirs)
	if me == "" || them == "" || me == them {
		t.Fatalf("the two users read athletes %q and %q", me, them)
	}
	for token, foreign := range map[string]string{r.Token: them, r.Other: me} {
		for tool, arguments := range map[string]string{
			"get_activities": `{"athlete_id":"` + foreign + `"}`, "get_events": `{"athlete_id":"` + foreign + `"}`, "get_wellness_data": `{"athlete_id":"` + foreign + `"}`,
		} {
			got := r.send(t, sent{token: token, body: call(tool, arguments)})
			got.want(t, 200)
			if !got.failedCall() || !strings.Contains(got.body, "not within reach") {
				t.Errorf("%s reaches %s: %.300s", tool, foreign, got.body)
			}
		}
	}
}

func coach(t *testing.T, r *rig) {
	get := func(id string) reply {
		return r.send(t, sent{token: r.Coach.Token, body: call("get_activities", `{"athlete_id":"`+id+`"}`)})
	}
	if got := get(r.Coach.May); got.failedCall() || athlete(got) != r.Coach.May {
		t.Errorf("the chosen athlete is out of reach: %.300s", got.body)
	}
	if got := get(r.Coach.MayNot); !got.failedCall() || strings.Contains(got.body, "structuredContent") {
		t.Errorf("an athlete who was not chosen is within reach: %.300s", got.body)
	}
}
