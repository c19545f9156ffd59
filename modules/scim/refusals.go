package scim

import (
	"net/http"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/ports"
)

// strangerEvery is how often the audit log of an organization records requests without a valid token, on each node.
const strangerEvery = time.Minute

// recordRefusal records a request for something that tokens may not do, such as giving a high role.
func (s *service) recordRefusal(c *call, f *failure) error {
	target := audit.To(audit.ScimToken, c.token.ID)
	if rest, ok := strings.CutPrefix(c.r.URL.Path, prefix+"/Users/"); ok {
		if id, ok := parseID(rest); ok {
			target = audit.To(audit.User, id)
		}
	}
	by := ports.Request(c.r.Context())
	return s.Audit.Record(c.r.Context(), audit.Fact{
		Realm: c.realm, Action: audit.ScimRefused, Target: target, By: &by, Refused: true,
		New: audit.Values{"reason": f.detail, "method": c.r.Method},
	})
}

// recordStranger records a request without a valid token, unless the last one was recorded lately.
func (s *service) recordStranger(r *http.Request, id realm.ID) error {
	if !s.rates.notable(id) {
		return nil
	}
	by := ports.Request(r.Context())
	by.Realm = id
	return s.Audit.Record(r.Context(), audit.Fact{
		Realm: id, Action: audit.ScimRefused, Target: audit.To(audit.Realm, id), By: &by, Refused: true,
		New: audit.Values{"reason": "invalid_token"},
	})
}
