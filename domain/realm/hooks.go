package realm

import "strings"

// The version of the API that the server implements.
const (
	FeatureLevel = 496
	Version      = "12.0"
	MergeBase    = "12.0"
)

// Incompatible reports whether a client, by its User-Agent, is incompatible with this server. Clients send this name to
// test how they report that error.
func Incompatible(agent string) bool { return strings.HasPrefix(agent, "ZulipInvalid") }

// Describing is a hook event that runs when the server describes itself to a client (server_settings, /register,
// restart), after the service_... keys are set. Hooks may add keys (zulipnames adds the alternative names). An error
// fails the request.
type Describing struct {
	Realm ID // of the client; 0 if only the server is described
	Keys  map[string]any
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

// OwnerCreated is a hook event that runs in the commit that creates a realm, after its owner exists.
type OwnerCreated struct {
	Realm ID
}

// Deactivated is a hook event that runs in the commit that deactivates a realm, after the log entry (events ends the
// queues). An error rolls it back.
type Deactivated struct {
	Realm ID
}

// Erasing is a hook event that runs, outside of any unit of work, before the rows of a deactivated realm are deleted,
// for data outside the database (pictures: blobs). A hook deletes all of it in small steps, and continues if an earlier
// run was interrupted. An error ends the run; a later one continues.
type Erasing struct {
	Realm ID
}
