package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// prefix is the URL path below which the files are served.
const prefix = "/static/web"

// client is the built client, in memory. It implements ports.WebClient.
type client struct {
	files map[string]*asset // by path below prefix
	page  [3][]byte         // the page, split at the token and at the list of modules; empty if no client was built
}

// asset is a file with its compressed copies.
type asset struct {
	mediaType string
	cache     string
	plain     *body
	brotli    *body
	gzip      *body
}

// body is one form of a file. It is read where it is, such as in the program, and takes no memory.
type body struct {
	open func() (fs.File, error)
	etag func() (string, error) // computed when it is first needed
}

// workerName is the file name of the service worker. Its URL must never change. Its scope is the whole origin.
const workerName = "worker.js"

// tokenMark precedes the token in index.html.
const tokenMark = `<meta name="csrf-token" content="` //nolint:gosec // not a credential

// partsMark precedes the list of the modules' parts in index.html. It follows the token.
const partsMark = `<meta name="stoa-modules" content="`

const (
	// immutable is the Cache-Control header of files whose names contain a hash of their contents.
	immutable = "public, max-age=31536000, immutable"
	// unknownType is the media type of files with an unknown extension.
	unknownType = "application/octet-stream"
)

// mediaTypes maps the extensions of the client's files to media types.
var mediaTypes = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".png":  "image/png",
	".webp": "image/webp", ".ico": "image/x-icon", ".woff2": "font/woff2", ".json": "application/json",
	".map": "application/json", ".webmanifest": "application/manifest+json", ".wasm": "application/wasm",
	".txt": "text/plain; charset=utf-8", ".mp3": "audio/mpeg", ".ogg": "audio/ogg",
}

// newClient reads the folder dist. If index.html does not exist, no client was built.
func newClient(all fs.FS) (*client, error) {
	c := &client{files: map[string]*asset{}}
	page, err := fs.ReadFile(all, "dist/index.html")
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	before, after, ok := bytes.Cut(page, []byte(tokenMark+`"`))
	if !ok {
		return nil, fmt.Errorf("index.html does not contain %s\"", tokenMark)
	}
	quote := []byte(`"`)
	c.page = [3][]byte{append(before, tokenMark...), append(quote, after...)}
	// Clients built without a placeholder for the list cannot include parts of other modules.
	if between, after, ok := bytes.Cut(after, []byte(partsMark+`"`)); ok {
		c.page[1], c.page[2] = slices.Concat(quote, between, []byte(partsMark)), slices.Concat(quote, after)
	}
	if err := c.read(all, "dist"); err != nil {
		return nil, err
	}
	return c, c.read(icons, "icons")
}

// read reads all files of a folder except the page.
func (c *client) read(all fs.FS, folder string) error {
	copies := map[string]*body{}
	err := fs.WalkDir(all, folder, func(p string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(p, folder+"/")
		if err != nil || d.IsDir() || name == "index.html" || strings.HasPrefix(name, ".") {
			return err
		}
		b := newBody(all, p)
		if ext := path.Ext(name); ext == ".br" || ext == ".gz" {
			copies[name] = b
			return nil
		}
		a := &asset{mediaType: mediaTypes[path.Ext(name)], cache: "public, max-age=3600", plain: b}
		if a.mediaType == "" {
			a.mediaType = unknownType
		}
		if name == workerName {
			a.cache = "no-cache"
		}
		if strings.HasPrefix(name, "assets/") {
			a.cache = immutable
		}
		c.files[name] = a
		return nil
	})
	for name, b := range copies {
		a := c.files[strings.TrimSuffix(name, path.Ext(name))]
		switch {
		case a == nil:
		case path.Ext(name) == ".br":
			a.brotli = b
		default:
			a.gzip = b
		}
	}
	return err
}

func newBody(all fs.FS, name string) *body {
	open := func() (fs.File, error) { return all.Open(name) }
	return &body{open, sync.OnceValues(func() (string, error) {
		f, err := open()
		if err != nil {
			return "", err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, f)
		return `"` + base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12]) + `"`, errors.Join(err, f.Close())
	})}
}

// serve writes the contents, or the requested part of them.
func (b *body) serve(w http.ResponseWriter, r *http.Request) error {
	tag, err := b.etag()
	if err != nil {
		return err
	}
	f, err := b.open()
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	w.Header().Set("ETag", tag)
	contents, ok := f.(io.ReadSeeker)
	if !ok {
		return fmt.Errorf("%T can be read only from its beginning", f)
	}
	http.ServeContent(w, r, "", time.Time{}, contents)
	return nil
}

// serveFile serves a file of the client or, if it has no such file, one of others.
func (c *client) serveFile(w http.ResponseWriter, r *http.Request, others map[string]*asset) {
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, prefix+"/")
	a := c.files[name]
	if a == nil {
		a = others[name]
	}
	if a == nil {
		http.NotFound(w, r)
		return
	}
	chosen := a.plain
	switch accepted := r.Header.Get("Accept-Encoding"); {
	case a.brotli != nil && kit.AcceptsCoding(accepted, "br"):
		chosen = a.brotli
		h.Set("Content-Encoding", "br")
	case a.gzip != nil && kit.AcceptsCoding(accepted, "gzip"):
		chosen = a.gzip
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Vary", "Accept-Encoding")
	h.Set("Content-Type", a.mediaType)
	h.Set("Cache-Control", a.cache)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	switch {
	case r.URL.Path == prefix+"/"+workerName:
		h.Set("Service-Worker-Allowed", "/")
		h.Set("Content-Security-Policy", "default-src 'none'; connect-src 'self'")
	case !strings.HasPrefix(a.mediaType, "text/javascript"): // scripts may run as workers, which must not be sandboxed
		h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	}
	if err := chosen.serve(w, r); err != nil {
		h.Set("Cache-Control", "no-store")
		h.Del("Content-Encoding")
		http.Error(w, "The file cannot be read", http.StatusInternalServerError)
	}
}

// devices is the page's Permissions-Policy: the client records voice messages, and uses no other device. It replaces
// the one that the server sends with everything else, which allows none.
const devices = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), hid=(), " +
	"magnetometer=(), microphone=(self), midi=(), payment=(), serial=(), usb=()"

// policy is the page's Content-Security-Policy. Images and media in messages may come from anywhere; scripts, styles
// and data come only from this server. Svelte sets some styles through attributes, and inserts its templates under the
// second trusted types policy.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; " +
	"img-src 'self' data: blob: https: http:; media-src 'self' blob: https: http:; connect-src 'self'; font-src 'self'; " +
	"manifest-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; " +
	"require-trusted-types-for 'script'; trusted-types stoa svelte-trusted-html"
