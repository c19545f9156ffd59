package session

import (
	"net/url"
	"strings"
	"unicode"
)

// maxNext is the maximum length of the target of a login in bytes.
const maxNext = 2000

// Next returns the page to open after a login: the requested one if it is a path on this host, otherwise "/".
func Next(requested string) string {
	const home = "/"
	if len(requested) > maxNext || !strings.HasPrefix(requested, "/") || strings.HasPrefix(requested, "//") ||
		strings.Contains(requested, `\`) ||
		strings.ContainsFunc(requested, unicode.IsControl) {
		return home
	}
	u, err := url.Parse(requested)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.HasPrefix(u.Path, "//") ||
		strings.Contains(u.Path, `\`) {
		return home
	}
	return u.String()
}
