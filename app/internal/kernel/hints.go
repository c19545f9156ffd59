package kernel

import (
	"context"
	"encoding/hex"
	"strings"
)

// hintPrefix begins the notifications that are hints. Nodes of versions that know none ignore them.
const hintPrefix = "hint"

// MaxHint is the maximum length of a hint in bytes, below PostgreSQL's limit of 8000 for a notification.
const MaxHint = 7800

// Hint sends a text of at most MaxHint bytes about a subject, which is one word, to the other nodes. Nothing may depend
// on it: it is lost if a node does not listen at this moment, it may be forged by whoever can use the bus, and on
// SQLite there are no other nodes.
func (k *Kernel) Hint(ctx context.Context, subject, text string) error {
	if k.bus == nil {
		return nil
	}
	return k.bus.Tell(ctx, strings.Join([]string{hintPrefix, subject, k.sender(), text}, " "))
}

// OnHint calls received for each hint about a subject from another node, one after the other. Call it before Start.
func (k *Kernel) OnHint(subject string, received func(text string)) {
	if k.hints == nil {
		k.hints = map[string]func(string){}
	}
	k.hints[subject] = received
}

// hinted passes on a notification if it is a hint, and reports whether it is one.
func (k *Kernel) hinted(text string) bool {
	rest, ok := strings.CutPrefix(text, hintPrefix+" ")
	if !ok {
		return false
	}
	subject, rest, _ := strings.Cut(rest, " ")
	from, text, _ := strings.Cut(rest, " ")
	if received := k.hints[subject]; received != nil && from != k.sender() {
		received(text)
	}
	return true
}

// sender identifies this node in its hints.
func (k *Kernel) sender() string { return hex.EncodeToString(k.node[:]) }
