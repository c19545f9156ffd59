package realm

import (
	"fmt"
	"maps"
	"strings"
)

// The version of the API that the server implements.
const (
	FeatureLevel = 496
	Version      = "12.0"
	MergeBase    = "12.0"
)

// Incompatible reports whether a client, by its User-Agent, is incompatible with this server. Clients send this name to
// test how they report that error.
func Incompatible(agent string) bool { return strings.HasPrefix(agent, "ZulipInvalid") }

// Description is a query for the values of the keys with which the server describes itself and a realm to clients
// (server_settings, /register), asked of all modules. Each returns a map[string]any with its values for keys that are
// asked for. No two modules may return the same key, see Describe. An error fails the request.
type Description struct {
	Realm ID             // of the client; 0 if only the server is described
	Keys  map[string]any // the keys that are asked for, with the values that they have if no module returns another
}

// Describe sets the values of keys that modules have returned for a Description. It fails if two have returned the same
// key, since their order would decide what clients learn.
func Describe(keys map[string]any, answers []map[string]any) error {
	described := map[string]bool{}
	for _, a := range answers {
		for key := range a {
			if described[key] {
				return fmt.Errorf("two modules describe %s", key)
			}
			described[key] = true
		}
		maps.Copy(keys, a)
	}
	return nil
}

// Asks reports whether the value of a key is asked for.
func (d Description) Asks(key string) bool {
	_, ok := d.Keys[key]
	return ok
}

// KeyAliases is a query for the second names of keys that describe the server or a realm to clients, or settings of a
// realm. zulipnames returns a map[string]any with the names that Keys lacks.
type KeyAliases struct {
	Keys map[string]any
}

// KnowsOnlyZulipNames is a query that reports whether a client knows only the second spelling of values that have two
// (service_..., zulip_...).
type KnowsOnlyZulipNames struct {
	Agent string // the client's User-Agent
}

// Created is a hook event that runs in the commit that creates a realm, while it has no users (accounts creates the
// server's own bots). An error rolls it back.
type Created struct {
	Realm *Realm
}

// PasswordsOff is a hook event that runs in the commit that turns off logins with a password, before it. An error
// refuses it: accounts does not let an organization lock its owners out.
type PasswordsOff struct {
	Realm ID
}

// OwnerCreated is a hook event that runs in the commit that creates a realm, after its owner exists.
type OwnerCreated struct {
	Realm ID
}

// Deactivated is a hook event that runs in the commit that deactivates a realm, after the log entry (events ends the
// queues). An error rolls it back.
type Deactivated struct {
	Realm ID
}

// Reactivating is a hook event that runs in the commit that reactivates a realm, before it. An error refuses it:
// imports does not let anybody into an organization that is incomplete.
type Reactivating struct {
	Realm ID
}

// Erasing is a hook event that runs, outside of any unit of work, before the rows of a deactivated realm are deleted,
// for data outside the database (pictures: blobs). A hook deletes all of it in small steps, and continues if an earlier
// run was interrupted. An error ends the run; a later one continues.
type Erasing struct {
	Realm ID
}
