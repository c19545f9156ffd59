package page

import (
	"context"
	"net/url"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// Address gives how people reach a realm, which links in mails begin with: http.url, or a name under it where several
// realms share the server; "" where that is not set.
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
