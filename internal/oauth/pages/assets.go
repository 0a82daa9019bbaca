package pages

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strconv"
	"strings"
)

//go:embed assets/*
var assetFiles embed.FS

// asset is one file under /assets/, whose name changes with what it holds.
type asset struct {
	path string // /assets/style-0123456789ab.css
	kind string
	body []byte
}

var assetKinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// loadAssets gives the assets by their plain name ("style.css").
func loadAssets() map[string]asset {
	all := map[string]asset{}
	dir, _ := assetFiles.ReadDir("assets") // embedded: it is there
	for _, f := range dir {
		body, _ := assetFiles.ReadFile("assets/" + f.Name())
		sum := sha256.Sum256(body)
		ext := path.Ext(f.Name())
		all[f.Name()] = asset{
			path: PathAssets + strings.TrimSuffix(f.Name(), ext) + "-" + hex.EncodeToString(sum[:6]) + ext,
			kind: assetKinds[ext], body: body,
		}
	}
	return all
}

// Assets serves /assets/. A name holds a hash of the content, so browsers may
// keep it for ever.
func (s *Set) Assets() http.Handler {
	byPath := map[string]asset{}
	for _, a := range s.assets {
		byPath[a.path] = a
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'") // an SVG opened by itself
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		a, ok := byPath[r.URL.Path]
		switch {
		case !ok:
			h.Set("Cache-Control", "no-store")
			http.Error(w, "There is no such file.", http.StatusNotFound)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "Files can only be read.", http.StatusMethodNotAllowed)
		default:
			h.Set("Cache-Control", "public, max-age=31536000, immutable")
			h.Set("Content-Type", a.kind)
			h.Set("Content-Length", strconv.Itoa(len(a.body)))
			if r.Method == http.MethodGet {
				_, _ = w.Write(a.body) // the browser has gone
			}
		}
	})
}
