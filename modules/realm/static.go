package realm

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"net/http"
	"strings"
)

// emojiNames is the JSON file that maps the codes of all Unicode emoji to their names, the canonical one first. Clients
// fetch it. The renderer uses the same names.
//
//go:embed emoji.json
var emojiNames []byte

const (
	staticPrefix = "/static/stoa/"
	iconName     = "icon.svg"
	icon         = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" ` +
		`rx="20" fill="#3b5b7a"/>` +
		`<path d="M20 34h60v8H20zM26 46h8v30h-8zM46 46h8v30h-8zM66 46h8v30h-8zM18 78h64v6H18zM50 14l32 16H18z" ` +
		`fill="#fff"/></svg>`
)

// static serves files that clients fetch without login.
type static struct {
	emoji string // file name of emojiNames, which contains a hash of it
}

func newStatic() *static {
	sum := sha256.Sum256(emojiNames)
	return &static{emoji: "emoji-data." + hex.EncodeToString(sum[:6]) + ".json"}
}

// ServeHTTP implements http.Handler.
func (s *static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	var body []byte
	switch strings.TrimPrefix(r.URL.Path, staticPrefix) {
	case s.emoji:
		body = emojiNames
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	case iconName:
		body = []byte(icon)
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Cache-Control", "public, max-age=86400")
	default:
		http.NotFound(w, r)
		return
	}
	h.Set("Access-Control-Allow-Origin", "*")
	_, _ = w.Write(body) // the client may have disconnected
}
