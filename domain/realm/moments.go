package realm

import "strings"

// The level of the interface that is spoken.
const (
	FeatureLevel = 496
	Version      = "12.0"
	MergeBase    = "12.0"
)

// Refuses tells whether a client, by its User-Agent, is one that does not work with this server: the name that clients
// try their own message with.
func Refuses(agent string) bool { return strings.HasPrefix(agent, "ZulipInvalid") }

// Describing is a moment: it runs when the server tells a client about itself (server_settings, /register, restart),
// after the service_... keys are in. Hooks may add keys (zulipnames adds the other spelling). An error fails the
// answer.
type Describing struct {
	Realm ID // of the client; 0 where what is told is of the server alone
	Keys  map[string]any
}

// Naming is a moment: it runs before a value that has two spellings (service_..., zulip_...) is shown to a client. A
// hook sets Zulip if the client knows only the second one.
type Naming struct {
	Agent string // the client's User-Agent
	Zulip bool   // set by hooks
}

// Created is a moment: it runs in the commit that makes a realm, before anybody is in it (accounts makes the server's
// own bots). An error rolls it back.
type Created struct {
	Realm *Realm
}

// Founding is a moment: it runs in the commit that makes a realm, after its owner exists.
type Founding struct {
	Realm ID
}

// Deactivated is a moment: it runs in the commit that ends a realm, after the entry that tells of it (events ends the
// queues). An error rolls it back.
type Deactivated struct {
	Realm ID
}

// Erasing is a moment: it runs, outside of any unit of work, before the rows of a deactivated realm are deleted, for
// those who keep something of it elsewhere than in the database (pictures: blobs). A hook removes some of it, a bounded
// part, and says whether there may be more; then the moment is run again. It may have been run before, and been cut
// off. An error ends the run; a later one goes on.
type Erasing struct {
	Realm ID
	More  bool // set by hooks
}
