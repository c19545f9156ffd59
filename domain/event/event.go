// Package event is what the realm's log consists of, and what clients can receive of it. An Event is written in the
// transaction of the change that it tells of; an Entry is that event with its place in the realm's order.
package event

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// Seq is a position in a realm's log: 1, 2, 3, ... without gaps.
type Seq int64

// Event is a change that is about to be logged. Make it with a kit.EventType's To.
type Event struct {
	Realm   realm.ID
	Type    string // wire type, "message"
	Op      string // wire op, "" if the type has none
	To      Audience
	Ref     int64              // id of the first message it is about, or 0
	Changes []directory.Change // the shared facts it changes
	Payload any                // encoded as JSON; what the type's Shape gets
}

// Changing adds the shared facts that the event's change consists of.
func (e Event) Changing(c ...directory.Change) Event {
	e.Changes = append(e.Changes[:len(e.Changes):len(e.Changes)], c...)
	return e
}

// About names the first message that the event is about.
func (e Event) About(message int64) Event { e.Ref = message; return e }

// Entry is a row of the log.
type Entry struct {
	Realm   realm.ID
	Seq     Seq
	Type    string
	Op      string
	At      time.Time
	To      Audience
	Ref     int64
	Changes []directory.Change
	Payload json.RawMessage
}

// SubBits is how many low bits of an event id number the events within one entry.
const SubBits = 20

// ID is an event's id on the wire: the entry's place, then the event's place within the entry.
type ID int64

// NewID makes the id of the sub-th event after or of the entry at seq.
func NewID(seq Seq, sub int64) ID { return ID(int64(seq)<<SubBits | sub) }

// Seq gives the entry's place.
func (id ID) Seq() Seq { return Seq(id >> SubBits) }

// Sub gives the event's place within the entry: 1 to 2^19-1 for what the entry became, from 2^19 for ephemeral events.
func (id ID) Sub() int64 { return int64(id) & (1<<SubBits - 1) }

// The parts of the sub range.
const (
	MaxEntrySub     = 1<<19 - 1
	FirstEphemeral  = 1 << 19
	LastEphemeral   = 1<<SubBits - 1
	StartOfQueueSub = MaxEntrySub // register answers seq<<20 | this: everything of seq has been seen
)

// Moved is a moment: it runs on every node after the view has moved over entries, in order. It must not block; an error
// is logged.
type Moved struct {
	Realm   realm.ID
	View    *directory.View   // after the last of them
	Entries []Entry           // none: some may have been left out, so whoever goes by them knows nothing any more
	Views   []*directory.View // Views[i] is the view after Entries[i]
}
