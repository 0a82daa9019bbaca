package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	_ "time/tzdata" // a Lambda has no zone files of its own

	"intervals-mcp/internal/change"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/intervals"
	"intervals-mcp/internal/secrets"
)

// Config is what the tools of one process need from outside.
type Config struct {
	Upstream *intervals.Upstream
	Secrets  secrets.Store
	Changes  *change.Engine // the only road to a write; nil = every write is refused
	Now      func() time.Time
	Log      *slog.Logger // never nil; gets no names, arguments or bodies
	// AccountPage is where a person renews their key; a URL, or words such as
	// "the terminal that runs this server".
	AccountPage string
	// AccountPageAt is AccountPage where it follows from the request; "" and nil
	// mean AccountPage.
	AccountPageAt func(context.Context) string
}

// Service is what all tools of one process share. It holds no person's state
// but short-lived caches keyed by user and athlete, and is safe for concurrent
// use.
type Service struct {
	Config
	profiles cache[Profile]
	gear     cache[[]intervals.Gear]
	reach    cache[[]intervals.Athlete]
	respelt  sync.Map // ATHLETE_ID as given -> as Intervals.icu spells it
}

// Lifetimes and bounds of the caches: what they hold changes rarely, and a
// change made through this server drops the entry.
const (
	cacheLife  = 5 * time.Minute
	cacheBound = 256
)

// NewService fills in defaults.
func NewService(c Config) *Service {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Service{Config: c}
}

// accountPage is where the person behind a request renews their key; rq may be
// nil.
func (s *Service) accountPage(rq *Request) string {
	switch {
	case rq != nil && rq.page != "":
		return rq.page
	case s.AccountPage == "":
		return "the account page of this server"
	}
	return s.AccountPage
}

// Request is one call of one tool.
type Request struct {
	Identity identity.Identity
	Client   *intervals.Client
	svc      *Service
	tool     string
	args     json.RawMessage // canonical, api_key gone
	cred     secrets.Credential
	notes    []string // said at the end of the answer
	page     string   // Config.AccountPageAt
}

// request finds the caller's credential. The Request is never nil.
func (s *Service) request(ctx context.Context, id identity.Identity) (*Request, error) {
	rq := &Request{Identity: id, svc: s}
	if s.AccountPageAt != nil {
		rq.page = s.AccountPageAt(ctx)
	}
	cred, err := s.Secrets.Credential(ctx, id.User)
	if err != nil {
		return rq, err
	}
	rq.cred, rq.Client = cred, s.Upstream.Client(cred)
	return rq, nil
}

// renewed gives the same call with the key that the person has meanwhile put in
// place of the one that Intervals.icu refused; nil when there is none. What was
// asked with the old key may still be under way, so it is forgotten.
func (rq *Request) renewed(ctx context.Context, notes []string) *Request {
	s, user := rq.svc, rq.Identity.User
	s.Secrets.Refused(user)
	cred, err := s.Secrets.Credential(ctx, user)
	if err != nil || cred == rq.cred {
		return nil
	}
	s.profiles.forget(user)
	s.gear.forget(user)
	s.reach.forget(user)
	return &Request{Identity: rq.Identity, Client: s.Upstream.Client(cred), svc: s, tool: rq.tool, args: rq.args, cred: cred, notes: notes, page: rq.page}
}

// leastSecret is the length of a credential below which blotting it out would
// hurt plain words more than it protects.
const leastSecret = 8

// withoutKey blots the call's own credential out of an answer: people paste it
// into notes, and assistants into the wrong argument.
func (rq *Request) withoutKey(a Answer) Answer {
	for _, secret := range []secrets.Secret{rq.cred.APIKey, rq.cred.Bearer} {
		if key := secret.Reveal(); len(key) >= leastSecret {
			a.Text = strings.ReplaceAll(a.Text, key, "[redacted]")
			if a.Ask != nil {
				a.Ask = &Question{Message: strings.ReplaceAll(a.Ask.Message, key, "[redacted]"), State: a.Ask.State}
			}
			if bytes.Contains(a.Structured, []byte(key)) {
				a.Structured = bytes.ReplaceAll(a.Structured, []byte(key), []byte("[redacted]"))
			}
		}
	}
	return a
}

// now is the clock of this call.
func (rq *Request) now() time.Time { return rq.svc.Now() }

// note adds a sentence to the end of the answer.
func (rq *Request) note(sentence string) { rq.notes = append(rq.notes, sentence) }
