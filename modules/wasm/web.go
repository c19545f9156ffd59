package wasm

import (
	"context"
	"net/http"
	"path"
	"strings"

	"github.com/stoachat/stoa/domain/webpart"
	"github.com/stoachat/stoa/modules/kit"
)

// webTypes maps the extensions of files that extend the client to media types.
var webTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".png": "image/png", ".woff2": "font/woff2", ".json": "application/json",
}

// address returns the URL path of a file of a package.
func address(hash, name string) string {
	return webpart.Folder + "/" + hash + "/" + strings.TrimPrefix(name, webFolder)
}

// parts answers webpart.Installed with the guests that extend the client. Their files are in memory once they have been
// compiled.
func (s *service) parts(ctx context.Context, q webpart.Installed) ([]webpart.Part, error) {
	v, err := s.Directory.View(ctx, q.Realm)
	if err != nil {
		return nil, err
	}
	var all []webpart.Part
	for _, g := range sorted(v) {
		m := &g.Manifest
		if m.Script == "" || g.Disabled != "" {
			continue
		}
		if s.engine.File(g.Hash, m.Script) == nil {
			s.wanted.Store(true)
			continue
		}
		part := webpart.Part{Name: m.Name, Script: address(g.Hash, m.Script)}
		if m.Style != "" {
			part.Style = address(g.Hash, m.Style)
		}
		all = append(all, part)
	}
	return all, nil
}

func (s *service) mount() kit.Endpoint {
	return kit.Mount(webpart.Folder, kit.Anyone, http.HandlerFunc(s.serveFile),
		"Files of installed modules for the web client.").Rate(kit.RateFiles)
}

// serveFile serves a file that extends the client. Like those of all modules, these files are public; their URLs
// contain the hash of the package.
func (s *service) serveFile(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, webpart.Folder+"/"), "/")
	text := s.engine.File(hash, webFolder+name)
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	case text == nil:
		s.wanted.Store(true)
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", webTypes[path.Ext(name)])
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	if path.Ext(name) != ".js" { // scripts may run as workers, which must not be sandboxed
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	}
	_, _ = w.Write(text) // the client may have disconnected
}
