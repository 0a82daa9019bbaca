package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"intervals-mcp/internal/audit"
	"intervals-mcp/internal/embedded"
	"intervals-mcp/internal/identity"
	"intervals-mcp/internal/operator"
)

// TokenFile is the name of the file that holds serve's token.
const TokenFile = "token"

// Open opens a data folder. Nothing is read before it is needed.
func Open(dir string, mayMake bool, now func() time.Time) (*operator.Stores, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && !mayMake {
		return nil, operator.Misuse{Err: errors.New("there is no data folder " + dir + " yet; `users add` and `serve` make it")}
	}
	file := embedded.New(dir)
	store := identity.NewStore(file.Identity(), now)
	return &operator.Stores{
		Where:     "data folder " + dir,
		Identity:  store,
		Keys:      file.Secrets(),
		KeyPlace:  func(string) string { return filepath.Base(file.Path()) + ", readable by you only" },
		Audit:     file.Audit(),
		State:     file.State(now),
		Purger:    file.Purger(),
		Retention: audit.DefaultRetention,
		Check:     place{dir, file, store, now}.check,
		Close:     file.Close,
	}, nil
}
