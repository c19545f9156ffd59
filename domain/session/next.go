package session

import (
	"net/url"
	"strings"
	"unicode"
)

// maxNext bounds where a login leads to, in bytes.
const maxNext = 2000

// Next returns where a login leads to: an address of this host without scheme and host, and "/" for everything else.
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
