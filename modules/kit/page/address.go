package page

import (
	"context"
	"net/netip"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// Address returns the public URL of a realm, for links in emails: http.url, or a subdomain of it if the host of
// http.url belongs to another realm. It returns "" if http.url is not configured.
func Address(ctx context.Context, site ports.Site, realms ports.Realms, r *realm.Realm) (string, error) {
	base := site.URL()
	if base == "" || r.StringID == "" {
		return base, nil
	}
	root, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	at, err := realms.Resolve(ctx, root.Hostname())
	if at == r.ID || err != nil && !errs.Is(err, errs.NonexistentSubdomain) {
		return base, err
	}
	root.Host = r.StringID + "." + root.Host
	return root.String(), nil
}

// Local reports whether only browsers on the same machine can open a URL, because its host is a name or address of that
// machine for itself.
func Local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}
