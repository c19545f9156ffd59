package apidocs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // files of the pages
	"encoding/hex"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/kit/page"
)

const (
	root      = "/api/docs" // the path of the pages
	loginPath = "/login"
)

var (
	//go:embed pages.html
	pagesText string
	//go:embed docs.css
	styleText []byte
	//go:embed docs.js
	scriptText []byte

	pagesTemplate = template.Must(template.New("pages").Parse(pagesText))
	assetsTag     = tagOf(styleText, scriptText)
)

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

func tagOf(all ...[]byte) string {
	sum := sha256.Sum256(bytes.Join(all, nil))
	return hex.EncodeToString(sum[:6])
}

// view is the data of a page.
type view struct {
	page.Words

	Kind    string // the template of the content
	Title   string
	Content any
	Assets  string // identifies the versions of the style sheet and the script
	Query   string
	Address string // of the server, for examples
	CSRF    string // of the reader's session; "": not logged in
	member  bool   // the reader is logged in, and no guest
	Modules []moduleOperations
	Guides  []guide
	More    []kit.Guide // of modules, below the guide that is shown

	chosen string // language in the URL
}

// Link returns the URL of a page, in the language that the reader has chosen.
func (v view) Link(name string) string {
	to := root + "/" + name
	if v.chosen == "" {
		return to
	}
	path, part, inside := strings.Cut(to, "#")
	path += "?lang=" + v.chosen
	if inside {
		path += "#" + part
	}
	return path
}

// Chosen returns the code of the language in the URL, or "".
func (v view) Chosen() string { return v.chosen }

// choice is a language to choose.
type choice struct{ Code, Tag, Name string }

// Languages returns the languages to choose from.
func (view) Languages() []choice {
	names := []string{"English", "العربية", "Deutsch", "Español", "Français", "日本語", "简体中文"}
	var all []choice
	for i, l := range language.All() {
		all = append(all, choice{l.Code, l.Tag, names[i]})
	}
	return all
}

// ServeHTTP serves the pages.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	name := strings.Trim(strings.TrimPrefix(r.URL.Path, root), "/")
	switch name {
	case "docs.css":
		asset(w, r, "text/css; charset=utf-8", styleText)
		return
	case "docs.js":
		asset(w, r, "text/javascript; charset=utf-8", scriptText)
		return
	}
	v := s.view(r)
	if s.cfg.Readers == members && v.CSRF == "" && s.Collected.Mounted(loginPath) {
		h.Set("Cache-Control", "private, no-cache")
		http.Redirect(w, r, loginPath+"/?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusFound)
		return
	}
	status := http.StatusOK
	if s.cfg.Readers == members && !v.member || !v.known() || !s.fill(&v, name) {
		v.Kind, v.Title, status = "missing", v.T("Not found"), http.StatusNotFound
	}
	var b bytes.Buffer
	if err := pagesTemplate.Execute(&b, v); err != nil {
		s.Logger.ErrorContext(r.Context(), "a page of the API can't be shown", "page", name, "error", err)
		page.Fail(w, r, err)
		return
	}
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Type", "text/html; charset=utf-8")
	write(w, r, status, b.Bytes())
}

// known reports whether the language in the URL is one of the server's.
func (v view) known() bool {
	return v.chosen == "" || slices.ContainsFunc(language.All(), func(l *language.Language) bool {
		return l.Code == v.chosen
	})
}

func asset(w http.ResponseWriter, r *http.Request, mime string, text []byte) {
	w.Header().Set("Content-Type", mime)
	w.Header().Set("Cache-Control", "public, max-age=86400")
	write(w, r, http.StatusOK, text)
}

// write writes a body, compressed if the client accepts it.
func write(w http.ResponseWriter, r *http.Request, status int, text []byte) {
	w.Header().Set("Vary", "Accept-Encoding")
	if !kit.AcceptsCoding(r.Header.Get("Accept-Encoding"), "gzip") {
		w.WriteHeader(status)
		_, _ = w.Write(text)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	w.WriteHeader(status)
	z := gzip.NewWriter(w)
	_, _ = z.Write(text)
	_ = z.Close()
}

// view returns what all pages show.
func (s *service) view(r *http.Request) view {
	q := r.URL.Query()
	v := view{
		Assets: assetsTag, Query: q.Get("q"), Address: s.Site.URL(), Modules: s.pages().modules, Guides: guides,
		chosen: q.Get("lang"),
	}
	if v.Address == "" {
		v.Address = page.Origin(r)
	}
	own, organization := s.reader(r, &v)
	tags := append(append([]string{v.chosen, own}, language.Accepted(r.Header.Get("Accept-Language"))...), organization)
	v.Words = page.Words{Language: language.Choose(tags...)}
	return v
}

// reader sets what the pages offer to people who are logged in, and returns the languages of user and organization.
func (s *service) reader(r *http.Request, v *view) (own, organization string) {
	ctx := r.Context()
	id, err := s.Realms.Resolve(ctx, page.Host(r))
	if err != nil || id == 0 {
		return "", ""
	}
	data, err := s.Directory.View(ctx, id)
	if err != nil || data.Realm() == nil {
		return "", ""
	}
	if address, err := page.Address(ctx, s.Site, s.Realms, data.Realm()); err == nil && address != "" {
		v.Address = address
	}
	organization = data.Realm().Settings.DefaultLanguage
	cookie := page.SessionValue(r)
	if s.Sessions == nil || cookie == "" {
		return "", organization
	}
	a, err := s.Sessions.Session(ctx, id, cookie)
	if err != nil || data.User(a.User) == nil {
		return "", organization
	}
	v.CSRF, v.member = session.CSRF(cookie), kit.Members.Check(data, a) == nil
	return data.User(a.User).Settings.DefaultLanguage, organization
}

// fill sets the content of the page with a name. It returns false if there is none.
func (s *service) fill(v *view, name string) bool {
	p := s.pages()
	kind, rest, _ := strings.Cut(name, "/")
	switch {
	case name == "":
		return v.start()
	case name == "operations":
		v.Kind, v.Title = "operations", v.T("Operations")
	case name == "search":
		v.Kind, v.Title, v.Content = "search", v.T("Search"), p.search(v.Query)
	case name == "errors":
		v.Kind, v.Title, v.Content = "errors", v.T("Errors"), errorsPage{p.errors, p.errorCodes()}
	case name == "changes":
		v.Kind, v.Title, v.Content = "changes", v.T("Changes"), p.changes()
	case name == "events" || name == "entities":
		v.Kind, v.Title, v.Content = "list", v.T("Events"), p.events
		if name == "entities" {
			v.Title, v.Content = v.T("Entities"), p.entities
		}
	case kind == "events":
		return v.show("schemas", rest, find(p.events, rest))
	case kind == "entities":
		return v.show("schemas", rest, find(p.entities, rest))
	case kind == "guides":
		return s.guide(v, rest)
	default:
		o := p.operation(name)
		if o == nil {
			return false
		}
		v.Kind, v.Title, v.Content = "operation", o.ID, o.examples(v.Address)
	}
	return true
}

func (v *view) show(kind, title string, of *group) bool {
	if of == nil {
		return false
	}
	v.Kind, v.Title, v.Content = kind, title, of
	return true
}
