package session

import (
	"net/url"
	"strings"
	"unicode"
)

// maxNext is the maximum length of the target of a login in bytes.
const maxNext = 2000

// Next returns the page to open after a login: the requested one if it is a path on this host, otherwise "/".
func Next(asked string) string {
	const home = "/"
	if len(asked) > maxNext || !strings.HasPrefix(asked, "/") || strings.HasPrefix(asked, "//") ||
		strings.Contains(asked, `\`) ||
		strings.ContainsFunc(asked, unicode.IsControl) {
		return home
	}
	u, err := url.Parse(asked)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.HasPrefix(u.Path, "//") ||
		strings.Contains(u.Path, `\`) {
		return home
	}
	return u.String()
}
