package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/secrets"
)

// tokenFile is the name of the token's file in the data folder, the one place
// where a token is kept readable.
const tokenFile = "token"

// personalToken gives the token of serve, an ordinary token of the built-in
// user: the one in the data folder, made at the first start and again when it
// was revoked; without a folder a new one each time.
func personalToken(ctx context.Context, dir string, table identity.Table) (secrets.Secret, error) {
	store := identity.NewStore(table, time.Now)
	if dir == "" {
		return newToken(ctx, store, "", false)
	}
	path := filepath.Join(dir, tokenFile)
	kept, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newToken(ctx, store, path, false)
	}
	if err != nil {
		return kept, err
	}
	inForce, unheardOf, err := store.LocalToken(ctx, kept)
	if err == nil && unheardOf { // from before tokens were in the store
		inForce = true
		_, err = store.AddLocalToken(ctx, kept)
	}
	switch {
	case err != nil:
		return kept, misuse("the token cannot be looked up: %v", err)
	case !inForce: // revoked, or forgotten since
		return newToken(ctx, store, path, true)
	}
	return kept, nil
}

// newToken makes a token, known to the store before the file has it. Another
// process may start at the same instant: the first one's file is everybody's.
func newToken(ctx context.Context, store *identity.Store, path string, replace bool) (secrets.Secret, error) {
	fresh := identity.NewToken(identity.KindPersonal)
	record, err := store.AddLocalToken(ctx, fresh)
	if err == nil && path != "" {
		err = writeFile(path, []byte(fresh.Reveal()+"\n"), replace)
	}
	if errors.Is(err, fs.ErrExist) {
		if err = store.RevokeToken(ctx, record.ID); err == nil {
			return readToken(path)
		}
	}
	if err != nil {
		return fresh, misuse("the token cannot be kept: %v", err)
	}
	return fresh, nil
}

// readToken reads the token's file and makes it the owner's alone.
func readToken(path string) (secrets.Secret, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return secrets.Secret{}, err
	}
	if err != nil {
		return secrets.Secret{}, misuse("the token cannot be read: %v", err)
	}
	token := strings.TrimSpace(string(raw))
	if kind, err := identity.KindOf(token); err != nil || kind != identity.KindPersonal {
		return secrets.Secret{}, misuse("%s holds no token; delete it to get a new one", path)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return secrets.Secret{}, misuse("the token's file cannot be made private: %v", err)
	}
	return secrets.New(token), nil
}

// writeReady writes the ready file, if one was asked for.
func writeReady(path string, v any) error {
	if path == "" {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := writeFile(path, append(b, '\n'), true); err != nil {
		return misuse("the ready file cannot be written: %v", err)
	}
	return nil
}

// dropReady removes an old ready file, so that nobody takes it for this one.
func dropReady(path string) error {
	if path == "" {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return misuse("the old ready file cannot be removed: %v", err)
	}
	return nil
}

// writeFile writes a file that is there wholly or not at all, with mode 0600.
// Unless it may replace an old one, an existing file is fs.ErrExist.
func writeFile(path string, content []byte, replace bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // gone already after a rename
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if replace {
		return os.Rename(f.Name(), path)
	}
	return os.Link(f.Name(), path)
}
