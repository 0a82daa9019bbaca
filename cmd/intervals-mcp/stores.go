package main

import (
	"context"
	"log/slog"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
	"intervals-mcp/internal/state"
	"intervals-mcp/internal/tools"
)

// stores are those of a laptop: one file in the data folder, opened when first
// needed, or, without a folder, this process's memory.
type stores struct {
	audit    audit.Log
	state    state.Store
	identity identity.Table
	secrets  secrets.Keeper
	close    func()
}

func openStores(o options) stores {
	if o.dataDir == "" {
		log := &audit.Memory{}
		return stores{audit: log, state: state.NewMemory(log, o.now), identity: &identity.Memory{}, secrets: &secrets.Memory{}, close: func() {}}
	}
	file := embedded.New(o.dataDir)
	return stores{audit: file.Audit(), state: file.State(o.now), identity: file.Identity(), secrets: file.Secrets(), close: func() {
		if err := file.Close(); err != nil {
			o.log.Error("close the data folder's file", "error", err.Error())
		}
	}}
}

// localKeys are the key of the built-in user, which comes from the
// environment or the demo, and the stored keys of everybody else.
type localKeys struct {
	own secrets.Store
	secrets.Keeper
	demo *demo // there is no way to Intervals.icu: only invented athletes' keys lead anywhere
}

// Credential implements secrets.Store.
func (k localKeys) Credential(ctx context.Context, user string) (secrets.Credential, error) {
	if user == identity.Local {
		return k.own.Credential(ctx, user)
	}
	cred, err := k.Keeper.Credential(ctx, user)
	if k.demo != nil && err == nil && !k.demo.knows(cred) {
		return secrets.Credential{}, tools.Problems{{Message: "this server shows the demo athlete, because it was started without API_KEY", Next: "start it with API_KEY set to serve the users that were added"}}
	}
	return cred, err
}

// localTokens is the identity store as the authorizer of serve sees it: with
// what serve's flags say put over what the records say.
type localTokens struct {
	identity.Tokens
	own   identity.Hash // of the token in the data folder
	flags options
	used  *identity.LastUsed
}

// Token implements identity.Tokens. The flags describe the token in the data
// folder; --scope read narrows everybody's.
func (l localTokens) Token(ctx context.Context, h identity.Hash) (identity.Token, error) {
	// A context that can end costs two goroutines in database/sql; a row of a
	// file on this machine is there sooner.
	t, err := l.Tokens.Token(context.WithoutCancel(ctx), h)
	if err != nil {
		return t, err
	}
	if t.Usable(time.Now()) == nil {
		if err := l.used.Note(ctx, t.ID); err != nil {
			l.flags.log.Warn("the last use of a token was not noted", "error", err.Error())
		}
	}
	if h == l.own {
		is := l.flags.identity("serve")
		t.ID, t.Client, t.Athlete, t.Toolset, t.Confirm = is.Connection, is.Client, is.Athlete, is.Toolset, is.Confirm
	} else if t.User == identity.Local {
		t.Athlete = l.flags.identity("").Athlete
	}
	if l.flags.scope == identity.ScopeRead {
		t.Scopes = []identity.Scope{identity.ScopeRead}
	}
	return t, nil
}

// quiet lowers what is said for every request to the level debug: the server's
// own line says enough.
type quiet struct{ slog.Handler }

// Enabled implements slog.Handler.
func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return q.Handler.Enabled(ctx, lowered(level))
}

// Handle implements slog.Handler.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lowered(r.Level)
	return q.Handler.Handle(ctx, r)
}

func lowered(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}
