// Package readstate is the rules of what a person has received, and what of it is unread. A send writes nothing per
// reader: both follow from a few rows per person, the message, and the moves it has made between channels.
//
// One stay of a message in a channel is what decides: it is unread by rule only while one and the same subscription has
// covered every stay, from arrival to departure or to now. So whoever unsubscribes has read everything there, and a new
// subscription does not make it unread again, without a row being touched.
package readstate

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
)

// Period is one uninterrupted subscription of a person to a channel. It covers the messages and log positions after
// From up to and with To. Once closed it never changes.
type Period struct {
	Recipient message.Recipient
	FromMsg   message.ID // highest message id before it began
	FromSeq   int64      // log position before it began
	ToMsg     message.ID // highest message id before it ended
	ToSeq     int64      // log position before it ended; 0: open
}

// Open tells whether the subscription goes on.
func (p Period) Open() bool { return p.ToSeq == 0 }

// Covers tells whether a message sent with that id reached the person.
func (p Period) Covers(id message.ID) bool { return p.FromMsg < id && (p.Open() || id <= p.ToMsg) }

// At tells whether the person was subscribed as of a log position.
func (p Period) At(seq int64) bool { return p.FromSeq < seq && (p.Open() || seq <= p.ToSeq) }

// Inbox is where a person's messages come from: subscriptions, present and past, and direct conversations.
type Inbox struct {
	Periods []Period // by Recipient, then FromSeq; see Sort
	Direct  idset.Set[message.Recipient]
}

// Sort puts the periods into the order that all methods need.
func (o *Inbox) Sort() {
	slices.SortFunc(o.Periods, func(a, b Period) int {
		return cmp.Or(cmp.Compare(a.Recipient, b.Recipient), cmp.Compare(a.FromSeq, b.FromSeq))
	})
}

// In gives the periods in one channel, oldest first.
func (o *Inbox) In(r message.Recipient) []Period {
	at, end := 0, len(o.Periods) // by hand: this is asked for every message above somebody's floor
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

// Current tells whether the person takes part in a conversation now.
func (o *Inbox) Current(r message.Recipient) bool {
	if _, channel := r.Channel(); !channel {
		return o.Direct.Has(r)
	}
	ps := o.In(r)
	return len(ps) > 0 && ps[len(ps)-1].Open()
}

// find gives the period in a channel for which is holds.
func (o *Inbox) find(r message.Recipient, is func(Period) bool) (Period, bool) {
	ps := o.In(r)
	for i := len(ps) - 1; i >= 0; i-- {
		if is(ps[i]) {
			return ps[i], true
		}
	}
	return Period{}, false
}
