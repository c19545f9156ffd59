package homepage

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/stoachat/stoa/modules/kit/page"
)

// The cookie names the organizations of this server in which the browser has been logged in, the last one first. It is
// shared by their host names and holds nothing but the organizations' names in addresses.
const (
	rememberedCookie = "stoa_organizations"
	maxRemembered    = 20
	maxCookie        = 2000               // bytes that are read
	rememberFor      = 400 * 24 * 60 * 60 // seconds; browsers keep no cookie longer
	rootName         = "_"                // the name of the organization at the root domain, whose subdomain is empty
)

// remembered returns the names in a cookie's value. Whatever cannot be a name is left out.
func remembered(value string) []string {
	if len(value) > maxCookie {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(value, ".") {
		if !nameLike(name) || slices.Contains(names, name) {
			continue
		}
		if names = append(names, name); len(names) == maxRemembered {
			break
		}
	}
	return names
}

func nameLike(name string) bool {
	if name == rootName {
		return true
	}
	return name != "" && len(name) <= 63 && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
	})
}

// remember puts a name first.
func remember(names []string, name string) []string {
	names = append([]string{name}, without(names, name)...)
	return names[:min(len(names), maxRemembered)]
}

// without returns the names but one.
func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

func rememberedIn(r *http.Request) []string {
	c, err := r.Cookie(rememberedCookie)
	if err != nil {
		return nil
	}
	return remembered(c.Value)
}

// rememberingCookie returns the cookie for the request's browser. site is the address of the server's root.
func rememberingCookie(r *http.Request, site string, names []string) *http.Cookie {
	c := &http.Cookie{ //nolint:gosec // not Secure where people reach the server by plain HTTP
		Name: rememberedCookie, Value: strings.Join(names, "."), Path: "/", Domain: sharedDomain(site, page.Host(r)),
		MaxAge: rememberFor, HttpOnly: true, Secure: page.Secure(r), SameSite: http.SameSiteLaxMode,
	}
	if len(names) == 0 {
		c.MaxAge = -1
	}
	return c
}

// sharedDomain returns the domain that the organizations' host names have in common, "" where a cookie cannot be
// shared: browsers take no domain for an IP address or a single label.
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
