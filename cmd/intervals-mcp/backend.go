package main

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/intervals/fake"
	"intervals-mcp/internal/mcpserver"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/tools"
)

// backend is the MCP server and what hangs on it.
type backend struct {
	*mcpserver.Server
	warm     func() // builds in advance what would keep the first call waiting
	upstream *intervals.Upstream
	keys     localKeys
	changes  *change.Engine
}

// newBackend wires upstream, stores, tools and MCP server. accountPage is
// where a person mends their key; approve is where they approve a change, nil
// where there are no pages.
func newBackend(o options, s stores, accountPage string, approve func(context.Context, string) string) (backend, error) {
	b := backend{warm: func() {}}
	up := intervals.Options{BaseURL: o.baseURL, UserAgent: userAgent(), Observe: mcpserver.Observe}
	b.keys = localKeys{own: secrets.Single{User: identity.Local, Cred: secrets.Credential{APIKey: o.apiKey}}, Keeper: s.secrets}
	if o.demo {
		d := newDemo(o)
		up.BaseURL, up.Transport = "http://127.0.0.1/api/v1", d
		b.keys.own, b.keys.demo = d, &d
		b.warm = func() { _, _ = d.build() }
	}
	var err error
	if b.upstream, err = intervals.New(up); err != nil {
		return b, misuse("INTERVALS_API_BASE_URL: %v", err)
	}
	b.changes = change.New(change.Config{Log: s.audit, State: s.state, Now: o.now, NewID: mcpserver.RequestID, Logger: o.log, ApprovePage: approve})
	svc := tools.NewService(tools.Config{Upstream: b.upstream, Secrets: b.keys, Changes: b.changes, Now: o.now, Log: o.log, AccountPage: accountPage})
	b.Server = mcpserver.New(mcpserver.Options{Caller: svc, Tools: tools.All(), Version: buildVersion(), Log: o.log, LegacyOnly: o.legacyOnly})
	return b, nil
}

func userAgent() string { return "intervals-mcp/" + buildVersion() }

// demo is the demo athlete's Intervals.icu in this process and the key to it.
// It is built when first needed: it takes a moment and some memory.
type demo struct {
	build func() (*fake.Server, error)
}

func newDemo(o options) demo {
	return demo{sync.OnceValues(func() (*fake.Server, error) {
		return fake.New(fake.Demo(o.now()), fake.Options{Now: o.now, Log: o.log})
	})}
}

// RoundTrip implements http.RoundTripper.
func (d demo) RoundTrip(r *http.Request) (*http.Response, error) {
	s, err := d.build()
	if err != nil {
		return nil, err
	}
	return s.Transport().RoundTrip(r)
}

// Credential implements secrets.Store: the demo athlete is the first one.
func (d demo) Credential(_ context.Context, user string) (secrets.Credential, error) {
	if user != identity.Local {
		return secrets.Credential{}, secrets.ErrNotFound
	}
	s, err := d.build()
	if err != nil {
		return secrets.Credential{}, err
	}
	return secrets.Credential{APIKey: secrets.New(s.Athletes()[0].APIKey)}, nil
}

// Refused implements secrets.Store.
func (d demo) Refused(string) {}

// knows reports whether a credential is one of an invented athlete.
func (d demo) knows(c secrets.Credential) bool {
	s, err := d.build()
	return err == nil && slices.ContainsFunc(s.Athletes(), func(a fake.AthleteInfo) bool { return a.APIKey == c.APIKey.Reveal() })
}
