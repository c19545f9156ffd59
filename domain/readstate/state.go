package readstate

import (
	"iter"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// IDs is a set of messages.
type IDs = idset.Set[message.ID]

// State is a user's stored read state. Up to Floor everything is read except Unread; above it, messages are unread if
// the rules make them unread, except Read. IDs in Unread are <= Floor, IDs in Read are above it, and Floor never
// decreases. A State may contain only the chunks of the sets that are needed.
type State struct {
	Floor  message.ID
	Unread IDs
	Read   IDs
}

// Reader holds the properties of a user that determine read state.
type Reader struct {
	User  user.ID
	Own   Inbox
	Muted user.Set // users whom the reader has muted
	Quiet bool     // resolve notices are read from the start
}

// Quiet reports whether resolve notices are read from the start for u. If u's setting excepts followed topics, their
// notices get the OldUnread bit when they are sent, since u may follow other topics later.
func Quiet(u *user.User) bool { return u.Settings.ResolvedTopicNoticeAutoReadPolicy != "never" }

// UnreadIfFollowed reports whether u gets resolve notices of followed topics unread.
func UnreadIfFollowed(u *user.User) bool {
	return !u.IsBot() && u.Settings.ResolvedTopicNoticeAutoReadPolicy == "except_followed"
}

// Unread reports whether a message is unread; old is its OldUnread bit.
func (r *Reader) Unread(s *State, m Message, old bool) bool {
	if old {
		return r.Own.Current(m.Recipient)
	}
	return r.byRule(s, m)
}

// byRule is Unread without the bit. Live messages are in conversations that the user takes part in.
func (r *Reader) byRule(s *State, m Message) bool {
	switch {
	case !r.Own.Live(m):
		return false
	case m.ID <= s.Floor:
		return s.Unread.Has(m.ID)
	}
	return r.Above(s, m)
}

// Above is Unread, without the bit, for a live message above the floor.
func (r *Reader) Above(s *State, m Message) bool { return !s.Read.Has(m.ID) && r.arrivesUnread(m) }

// arrivesUnread reports whether a message is unread when it arrives.
func (r *Reader) arrivesUnread(m Message) bool {
	return m.ReadFor != r.User && !r.Muted.Has(m.Sender) && (!m.Notice || !r.Quiet)
}

// Advance raises the floor, so that Read stays small. Unmuting a user raises it to the head first: until then the mute
// makes that user's messages read, and above the floor only current mutes count. between contains messages with IDs in
// (Floor, to], ascending, and at least those that the user has received.
func (r *Reader) Advance(s *State, to message.ID, between []Message) {
	if to <= s.Floor {
		return
	}
	var found IDs
	for _, m := range between {
		if m.ID > s.Floor && m.ID <= to && r.byRule(s, m) {
			found = append(found, m.ID)
		}
	}
	s.RaiseFloor(to, found)
}

// RaiseFloor raises the floor to an ID. unread contains the messages between, up to the ID, that are unread by rule.
func (s *State) RaiseFloor(to message.ID, unread IDs) {
	s.Unread = s.Unread.Union(unread)
	s.Read = s.Read.From(to + 1)
	s.Floor = to
}

// Marked is a message to be marked, with the user's OldUnread bit.
type Marked struct {
	Message
	Old bool
}

// MarkRead marks messages, in ascending order of ID, as read. changed are those that were unread; old are those whose
// OldUnread bit must be removed.
func (r *Reader) MarkRead(s *State, ms iter.Seq[Marked]) (changed, old IDs) {
	// There may be a hundred thousand, so the sets are compared as a whole rather than searched for each message.
	var below, above IDs             // to be marked
	var stored, arrived, current IDs // candidates for changed: below the floor, above it, and with the OldUnread bit
	in := liveness{own: &r.Own}
	for m := range ms {
		live := in.live(m.Message)
		switch {
		case m.Old:
			old = append(old, m.ID)
			if r.Own.Current(m.Recipient) {
				current = append(current, m.ID)
			}
		case !live:
		case m.ID <= s.Floor:
			stored = append(stored, m.ID)
		case r.arrivesUnread(m.Message):
			arrived = append(arrived, m.ID)
		}
		if m.ID <= s.Floor {
			below = append(below, m.ID)
		} else if live {
			above = append(above, m.ID)
		}
	}
	changed = stored.And(s.Unread).Union(arrived.Minus(s.Read)).Union(current)
	s.Unread, s.Read = s.Unread.Minus(below), s.Read.Union(above)
	return changed, old
}

// MarkUnread marks messages, in ascending order of ID, as unread. The user must be able to read all of them. changed
// are those that were read; set are those that need the OldUnread bit, because no rule makes them unread; skipped are
// unchanged because the user does not subscribe to their channels.
func (r *Reader) MarkUnread(s *State, ms []Marked) (changed, set IDs, skipped []Message) {
	var below, above IDs
	for _, m := range ms {
		switch {
		case !r.Own.Current(m.Recipient):
			skipped = append(skipped, m.Message)
			continue
		case r.Unread(s, m.Message, m.Old):
			continue
		}
		changed = append(changed, m.ID)
		live := r.Own.Live(m.Message)
		switch {
		case live && m.ID <= s.Floor:
			below = append(below, m.ID)
		case live && r.arrivesUnread(m.Message):
			above = append(above, m.ID)
		default:
			set = append(set, m.ID)
		}
	}
	s.Unread, s.Read = s.Unread.Union(below), s.Read.Minus(above)
	return changed, set, skipped
}

// FreezeNotices preserves the state of resolve notices when Quiet changes, since above the floor only the current value
// counts. r.Quiet is the old value. notices contains at least those above the floor that the user has received; set are
// those that need the OldUnread bit.
func (r *Reader) FreezeNotices(s *State, notices []Message) (set IDs) {
	var read IDs
	for _, m := range notices {
		switch {
		case m.ID <= s.Floor || !m.Notice || !r.Own.Live(m):
		case r.Quiet:
			read = append(read, m.ID)
		case r.Above(s, m):
			set = append(set, m.ID)
		}
	}
	s.Read = s.Read.Union(read)
	return set
}

// MarkAll marks everything up to head, the highest ID, as read. The OldUnread bits must be removed as well.
func (s *State) MarkAll(head message.ID) {
	*s = State{Floor: max(s.Floor, head)}
}

// Forget marks the unread messages of a user who is being muted as read. Above the floor, the mute itself has this
// effect. Their OldUnread bits must be removed as well.
func (s *State) Forget(ids IDs) { s.Unread = s.Unread.Minus(ids) }
