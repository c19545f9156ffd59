// Package event describes the entries of a realm's log and the events that clients receive. An Event is written in
// the transaction of the change that it describes; an Entry is that event with its position in the realm's log.
package event

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
)

// Seq is a position in a realm's log: 1, 2, 3, ... without gaps.
type Seq int64

// Event is a change to be logged. Create it with the To method of a kit.EventType.
type Event struct {
	Realm   realm.ID
	Type    string // wire type, "message"
	Op      string // wire op, "" if the type has none
	To      Audience
	Ref     int64              // ID of the first message concerned, or 0
	Changes []directory.Change // the changed shared facts
	Payload any                // encoded as JSON; input to the Shape of the type
}

// Changing adds changes of shared facts.
func (e Event) Changing(c ...directory.Change) Event {
	e.Changes = append(e.Changes[:len(e.Changes):len(e.Changes)], c...)
	return e
}

// About sets the first message that the event concerns.
func (e Event) About(message int64) Event { e.Ref = message; return e }

// Entry is a row of the log.
type Entry struct {
	Realm   realm.ID
	Seq     Seq
	Type    string
	Op      string
	At      time.Time
	Asked   time.Time // when the change was requested, if this node has made it and measures; otherwise zero
	To      Audience
	Ref     int64
	Changes []directory.Change
	Payload json.RawMessage
}

// SubBits is the number of low bits of an event ID that number the events within one entry.
const SubBits = 20

// ID is an event ID on the wire: the entry's position, then the event's number within the entry.
type ID int64

// NewID returns the ID of event number sub of the entry at seq, or of an ephemeral event after it.
func NewID(seq Seq, sub int64) ID { return ID(int64(seq)<<SubBits | sub) }

// Seq returns the position of the entry.
func (id ID) Seq() Seq { return Seq(id >> SubBits) }

// Sub returns the event's number within the entry: 1 to 2^19-1 for events of the entry, from 2^19 for ephemeral ones.
func (id ID) Sub() int64 { return int64(id) & (1<<SubBits - 1) }

// Ranges of Sub.
const (
	MaxEntrySub     = 1<<19 - 1
	FirstEphemeral  = 1 << 19
	LastEphemeral   = 1<<SubBits - 1
	StartOfQueueSub = MaxEntrySub // the last_event_id of a new queue at seq: everything up to seq is included
)

// LogAdvanced is a hook event. It runs on every node after the view has advanced over entries, in order. Handlers must
// not block; errors are logged.
type LogAdvanced struct {
	Realm   realm.ID
	View    *directory.View   // after the last entry
	Entries []Entry           // empty: some may have been skipped, so state derived from entries is invalid
	Views   []*directory.View // Views[i] is the view after Entries[i]
}
