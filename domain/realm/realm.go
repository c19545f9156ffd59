// Package realm is the organisation: its identity and its settings.
package realm

import (
	"time"

	"github.com/stoachat/stoa/domain/ids"
)

// ID identifies a realm on this server.
type ID = ids.Realm

// Realm is one organisation.
type Realm struct {
	ID          ID        `json:"id"`
	StringID    string    `json:"string_id"` // the subdomain; "" for the root realm
	UUID        string    `json:"uuid"`
	MailDomain  string    `json:"mail_domain"` // of addresses that the server makes up: hidden users, system bots
	Created     time.Time `json:"created"`
	Deactivated bool      `json:"deactivated,omitempty"`
	Settings    Settings  `json:"settings"`
	Domains     []Domain  `json:"domains,omitempty"`     // of addresses that are let in
	LastDomain  int64     `json:"last_domain,omitempty"` // the highest id of a domain that there ever was
}
