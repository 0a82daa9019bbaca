// Command enrol prepares the data folder of a serve for the black-box suite:
// users with their keys, and tokens, also expired ones, which no operator
// command makes. It is a program of its own so that the suite itself imports
// nothing of the project.
//
//	enrol -data DIR < world.json   prints {"NAME": {"token": "...", "id": "..."}}
//	enrol -data DIR -revoke ID
//	enrol -data DIR -sql TEXT   past the stores, to break them and mend them
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// person is a user to enrol, and their tokens by a name of the caller's.
type person struct {
	User     string           `json:"user"` // "local" is there already
	Athlete  string           `json:"athlete"`
	Key      string           `json:"key"`
	Coach    bool             `json:"coach"`
	Athletes []string         `json:"athletes"`
	Tokens   map[string]token `json:"tokens"`
}

type token struct {
	Scope    identity.Scope   `json:"scope"`
	Toolset  identity.Toolset `json:"toolset"`
	Confirm  identity.Confirm `json:"confirm"` // "" = all
	Athletes []string         `json:"athletes"`
	Expired  bool             `json:"expired"`
}

type made struct {
	Token string `json:"token"`
	ID    string `json:"id"`
}

func main() {
	data := flag.String("data", "", "")
	revoke := flag.String("revoke", "", "")
	statement := flag.String("sql", "", "")
	flag.Parse()
	if err := run(context.Background(), *data, *revoke, *statement, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "enrol:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, data, revoke, statement string, in io.Reader, out io.Writer) (err error) {
	if data == "" {
		return errors.New("-data is missing")
	}
	file := embedded.New(data)
	defer func() { err = errors.Join(err, file.Close()) }()
	if statement != "" {
		db, err := sql.Open("sqlite", file.Path()+"?_pragma=busy_timeout(5000)")
		if err != nil {
			return err
		}
		_, err = db.ExecContext(ctx, statement)
		return errors.Join(err, db.Close())
	}
	if revoke != "" {
		return identity.NewStore(file.Identity(), time.Now).RevokeToken(ctx, revoke)
	}
	var world []person
	if err := json.NewDecoder(in).Decode(&world); err != nil {
		return err
	}
	all := map[string]made{}
	for _, p := range world {
		if err := p.enrol(ctx, file); err != nil {
			return fmt.Errorf("%s: %w", p.User, err)
		}
		for name, t := range p.Tokens {
			if all[name], err = t.create(ctx, file, p.User); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return json.NewEncoder(out).Encode(all)
}

func (p person) enrol(ctx context.Context, file *embedded.Store) error {
	if p.Key == "" {
		return nil
	}
	if err := file.Secrets().Put(ctx, p.User, secrets.Key{APIKey: secrets.New(p.Key), Athlete: p.Athlete}); err != nil {
		return err
	}
	_, err := identity.NewStore(file.Identity(), time.Now).AddUser(ctx,
		identity.User{ID: p.User, Athlete: p.Athlete, Coach: p.Coach, Athletes: p.Athletes})
	if errors.Is(err, identity.ErrExists) { // their key was replaced
		return nil
	}
	return err
}

func (t token) create(ctx context.Context, file *embedded.Store, user string) (made, error) {
	clock, r := time.Now, identity.Request{User: user, Label: "black-box suite", Days: 30, Scopes: []identity.Scope{t.Scope},
		Toolset: t.Toolset, Confirm: t.Confirm, Athletes: t.Athletes}
	if t.Scope == identity.ScopeWrite {
		r.Scopes = []identity.Scope{identity.ScopeRead, identity.ScopeWrite}
	}
	if t.Expired {
		clock = func() time.Time { return time.Now().AddDate(0, 0, -31) }
	}
	secret, record, err := identity.NewStore(file.Identity(), clock).CreateToken(ctx, r)
	return made{secret.Reveal(), record.ID}, err
}
