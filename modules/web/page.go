package web

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/webpart"
	"github.com/stoachat/stoa/modules/kit"
)

// service serves the client. It implements ports.WebClient.
type service struct {
	needs
	client *client
	parts  func() parts // read on the first request, because all modules have contributed by then
}

func newService(n needs, c *client) *service {
	return &service{needs: n, client: c, parts: sync.OnceValue(func() parts {
		p, err := readParts(n.Collected.Modules)
		if err != nil {
			n.Logger.Error("cannot read the modules' parts of the web client", "error", err)
			return parts{}
		}
		return p
	})}
}

// Built reports whether the server was built with a client; see ports.WebClient.
func (s *service) Built() bool { return s.client.page[0] != nil }

// Page writes the page of the client; see ports.WebClient. Spectators have no token and get no parts of other
// modules.
func (s *service) Page(w http.ResponseWriter, r *http.Request, of realm.ID, token string) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
		"X-Frame-Options": "DENY", "X-Robots-Tag": "noindex", "Content-Type": "text/html; charset=utf-8",
		"Cross-Origin-Opener-Policy": "same-origin", "Permissions-Policy": devices,
	} {
		h.Set(name, value)
	}
	list := ""
	if token != "" && s.client.page[2] != nil {
		list = s.listed(r.Context(), of)
	}
	page := s.client.page
	for _, b := range [][]byte{page[0], []byte(token), page[1], []byte(list), page[2]} {
		_, _ = w.Write(b) // the client may have disconnected
	}
}

// listed returns the list of parts for the page, with those that were installed in the realm.
func (s *service) listed(ctx context.Context, of realm.ID) string {
	p := s.parts()
	more, _, err := s.Installed.Ask(ctx, webpart.Installed{Realm: of})
	if err == nil && len(more) == 0 {
		return p.list
	}
	list := p.list
	if err == nil {
		list, err = escaped(slices.Concat(p.all, more))
	}
	if err != nil {
		s.Logger.ErrorContext(ctx, "cannot list the installed parts of the web client", "error", err)
		return p.list
	}
	return list
}

// files serves the requests below prefix.
func (s *service) files(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		switch strings.TrimPrefix(r.URL.Path, prefix+"/") {
		case manifestName:
			s.manifest(w, r)
			return
		case touchIconName:
			if at := s.realm(r); at != nil && at.Emblems[realm.Icon].Address != "" {
				w.Header().Set("Cache-Control", "public, max-age=3600")
				http.Redirect(w, r, at.EmblemURL(realm.Icon), http.StatusFound) //nolint:gosec // an own path or store
				return
			}
		}
	}
	s.client.serveFile(w, r, s.parts().files)
}

func (s *service) endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.Mount(prefix, kit.Anyone, http.HandlerFunc(s.files), "Files of the web client.").Rate(kit.RateFiles),
		// iOS requests this path for pages that do not link to an icon, such as those of other modules.
		kit.Mount("/"+touchIconName, kit.Anyone, http.RedirectHandler(prefix+"/"+touchIconName, http.StatusFound),
			"The icon for home screens.").Rate(kit.RateFiles),
	}
}
