package folder

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/operator"
	"intervals-mcp/internal/secrets"
)

// place is a data folder under examination.
type place struct {
	dir   string
	file  *embedded.Store
	store *identity.Store
	now   func() time.Time
}

func (p place) check(ctx context.Context, r *operator.Report) bool {
	if !p.folder(r) || !p.database(ctx, r) {
		return false
	}
	p.token(ctx, r)
	return true
}

func (p place) folder(r *operator.Report) bool {
	info, err := os.Stat(p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Note("data folder", "", "%s is not there yet; the first start makes it", p.dir)
		return false
	case err != nil:
		r.Wrong("data folder", "name another with --data", "%v", err)
		return false
	case !info.IsDir():
		r.Wrong("data folder", "name a folder with --data", "%s is no folder", p.dir)
		return false
	}
	probe, err := os.CreateTemp(p.dir, ".probe-*")
	if err == nil {
		err = errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	if err != nil {
		r.Wrong("data folder", "make it writable for you, or name another with --data", "%s cannot be written: %v", p.dir, err)
		return false
	}
	if open(info) {
		r.Note("data folder", "chmod 700 "+p.dir, "%s can be opened by other users of this machine", p.dir)
		return true
	}
	r.OK("data folder", "%s", p.dir)
	return true
}

// open reports whether others than the owner get in.
func open(info fs.FileInfo) bool { return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 }

func (p place) database(ctx context.Context, r *operator.Report) bool {
	name := filepath.Base(p.file.Path())
	info, err := os.Stat(p.file.Path())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Note("database", "", "%s is not there yet; it is made when first needed", name)
		return false
	case err != nil:
		r.Wrong("database", "", "%v", err)
		return false
	case open(info):
		r.Wrong("database", "chmod 600 "+p.file.Path()+", and think of the keys in it as known to others", "%s can be read by other users of this machine", name)
	}
	users, err := p.store.Users(ctx)
	if err == nil {
		_, err = p.file.Audit().Heads(ctx, audit.Query{Day: p.now().UTC().Format(time.DateOnly), Limit: 1})
	}
	if err != nil {
		r.Wrong("database", "update this program, or restore the file from a backup", "%v", err)
		return false
	}
	tokens := 0
	for _, u := range users {
		list, err := p.store.Tokens(ctx, u.ID)
		if err != nil {
			r.Wrong("database", "update this program, or restore the file from a backup", "%v", err)
			return false
		}
		for _, t := range list {
			if t.Usable(p.now()) == nil {
				tokens++
			}
		}
	}
	r.OK("database", "%s: users: %d, tokens in force: %d", name, len(users), tokens)
	return true
}

func (p place) token(ctx context.Context, r *operator.Report) {
	path := filepath.Join(p.dir, TokenFile)
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		r.Note("token file", "", "is not there yet; serve makes it at its first start")
		return
	}
	const again = "delete it; serve makes a new one"
	if err != nil {
		r.Wrong("token file", again, "%v", err)
		return
	}
	token := secrets.New(strings.TrimSpace(string(raw)))
	if _, err := identity.KindOf(token.Reveal()); err != nil {
		r.Wrong("token file", again, "%s holds no token", path)
		return
	}
	if info, err := os.Stat(path); err == nil && open(info) {
		r.Wrong("token file", "revoke the token (tokens list, tokens revoke ID): serve then makes a new one", "%s can be read by other users of this machine", path)
		return
	}
	inForce, unheardOf, err := p.store.LocalToken(ctx, token)
	switch {
	case err != nil:
		r.Wrong("token file", "", "the token cannot be looked up: %v", err)
	case !inForce && !unheardOf:
		r.Note("token file", "", "its token was revoked; serve makes a new one at its next start")
	default:
		r.OK("token file", "%s", path)
	}
}
