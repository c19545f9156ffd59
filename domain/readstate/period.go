// Package readstate defines which messages a user has received, and which of these are unread. Sending writes nothing
// per reader: both follow from a few rows per user, from the message, and from its moves between channels.
//
// A message is unread by rule only while each of its stays in a channel, from arrival to departure or until now, is
// covered by a single subscription. So unsubscribing makes everything in a channel read, and subscribing again does not
// make it unread, without any row being changed.
package readstate

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
)

// Period is an uninterrupted subscription of a user to a channel. It covers messages and log positions after From, up
// to and including To. Closed periods never change.
type Period struct {
	Recipient message.Recipient
	FromMsg   message.ID // highest message ID before the start
	FromSeq   int64      // log position before the start
	ToMsg     message.ID // highest message ID before the end
	ToSeq     int64      // log position before the end; 0: open
}

// Open reports whether the subscription continues.
func (p Period) Open() bool { return p.ToSeq == 0 }

// Covers reports whether the user received a message sent with that ID.
func (p Period) Covers(id message.ID) bool { return p.FromMsg < id && (p.Open() || id <= p.ToMsg) }

// At reports whether the user was subscribed as of a log position.
func (p Period) At(seq int64) bool { return p.FromSeq < seq && (p.Open() || seq <= p.ToSeq) }

// Inbox holds the sources of a user's messages: current and past subscriptions, and direct conversations.
type Inbox struct {
	Periods []Period // ordered by Recipient and FromSeq; see Sort
	Direct  idset.Set[message.Recipient]
}

// Sort orders the periods, which all other methods require.
func (o *Inbox) Sort() {
	slices.SortFunc(o.Periods, func(a, b Period) int {
		return cmp.Or(cmp.Compare(a.Recipient, b.Recipient), cmp.Compare(a.FromSeq, b.FromSeq))
	})
}

// In returns the periods in one channel, oldest first.
func (o *Inbox) In(r message.Recipient) []Period {
	at, end := 0, len(o.Periods) // open-coded binary search: called for every message above a floor
	for at < end {
		if mid := (at + end) / 2; o.Periods[mid].Recipient < r {
			at = mid + 1
		} else {
			end = mid
		}
	}
	for end < len(o.Periods) && o.Periods[end].Recipient == r {
		end++
	}
	return o.Periods[at:end]
}

// Current reports whether the user takes part in a conversation now.
func (o *Inbox) Current(r message.Recipient) bool {
	if _, channel := r.Channel(); !channel {
		return o.Direct.Has(r)
	}
	ps := o.In(r)
	return len(ps) > 0 && ps[len(ps)-1].Open()
}

// find returns the newest period in a channel for which is returns true.
func (o *Inbox) find(r message.Recipient, is func(Period) bool) (Period, bool) {
	ps := o.In(r)
	for i := len(ps) - 1; i >= 0; i-- {
		if is(ps[i]) {
			return ps[i], true
		}
	}
	return Period{}, false
}
