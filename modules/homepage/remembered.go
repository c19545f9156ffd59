package homepage

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit/page"
)

// The cookie lists the organizations of this server that the browser has logged in to, most recent first. All their
// hosts share it. It contains only their subdomains.
const (
	rememberedCookie = "stoa_organizations"
	maxRemembered    = 20
	maxCookie        = 2000               // in bytes; a longer cookie is ignored
	rememberFor      = 400 * 24 * 60 * 60 // in seconds; browsers limit the life of cookies to this
	rootName         = "_"                // stands for the organization at the root domain, whose subdomain is empty
)

// parseNames parses a cookie's value into names, without duplicates. It skips anything that cannot be a subdomain.
func parseNames(value string) []string {
	if len(value) > maxCookie {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(value, ".") {
		if !validName(name) || slices.Contains(names, name) {
			continue
		}
		if names = append(names, name); len(names) == maxRemembered {
			break
		}
	}
	return names
}

func validName(name string) bool {
	if name == rootName {
		return true
	}
	return name != "" && len(name) <= 63 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// addName returns names with name added or moved to the front, limited to maxRemembered names.
func addName(names []string, name string) []string {
	names = append([]string{name}, removeName(names, name)...)
	return names[:min(len(names), maxRemembered)]
}

// removeName returns a copy of names without name.
func removeName(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

func cookieNames(r *http.Request) []string {
	c, err := r.Cookie(rememberedCookie)
	if err != nil {
		return nil
	}
	return parseNames(c.Value)
}

// namesCookie returns a cookie that stores names, or one that deletes the cookie if names is empty. site is the URL of
// the server.
func namesCookie(r *http.Request, site string, names []string) *http.Cookie {
	c := &http.Cookie{ //nolint:gosec // not Secure if the client uses plain HTTP
		Name: rememberedCookie, Value: strings.Join(names, "."), Path: "/", Domain: sharedDomain(site, page.Host(r)),
		MaxAge: rememberFor, HttpOnly: true, Secure: page.Secure(r), SameSite: http.SameSiteLaxMode,
	}
	if len(names) == 0 {
		c.MaxAge = -1
	}
	return c
}

// sharedDomain returns the domain that all hosts of organizations share, or "" if a cookie cannot be shared: browsers
// reject the Domain attribute for IP addresses and for names of a single label.
func sharedDomain(site, host string) string {
	u, err := url.Parse(site)
	if err != nil {
		return ""
	}
	domain := u.Hostname()
	if _, err := netip.ParseAddr(domain); err == nil || !strings.Contains(domain, ".") {
		return ""
	}
	if host != domain && !strings.HasSuffix(host, "."+domain) {
		return ""
	}
	return domain
}
