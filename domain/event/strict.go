package event

// Strict is a query that reports whether a client fails on keys and event types that its feature level does not know.
// Such clients receive only what they know, or ask for by name.
type Strict struct {
	ClientName string // see user.Actor.Client
}
