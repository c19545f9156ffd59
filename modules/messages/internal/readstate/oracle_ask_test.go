package readstate

import (
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/audience"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
)

// compareWithModel compares the service's results with the model, for one user of a history and for each message.
func (h *harness) compareWithModel(x *history) error {
	u := x.model.People[x.r.IntN(len(x.model.People))]
	want := x.model.Unread(u)
	got, err := h.service.Unread(h.ctx, h.view, u, nil)
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("user %d: unread %v, want %v, %w", u, got, want, err)
	}
	if len(want) > 0 {
		in := x.model.Of(want[x.r.IntN(len(want))]).Recipient
		if err := h.comparePlace(x.model, u, in, want); err != nil {
			return err
		}
	}
	if err := h.comparePage(x.model, u); err != nil {
		return err
	}
	if err := h.compareByMessage(x.model); err != nil {
		return err
	}
	section, err := h.service.unreadSection(h.ctx, kit.Actor{Realm: h.realm, User: u}, event.Client{})
	if err != nil {
		return err
	}
	if err := checkUnreadMsgs(section.UnreadMsgs, x.model, want); err != nil {
		return fmt.Errorf("user %d: %w", u, err)
	}
	return nil
}

// comparePlace compares a user's unread messages in one conversation.
func (h *harness) comparePlace(
	m *readstatetest.Model, u user.ID, in message.Recipient, unread []message.ID,
) error {
	want := slices.DeleteFunc(slices.Clone(unread), func(id message.ID) bool { return m.Of(id).Recipient != in })
	p, old, err := h.service.states.loadWhole(h.ctx, h.view, u)
	if err != nil {
		return err
	}
	fs, err := h.service.finder.unreadInPlace(h.ctx, h.view, p, old, h.realm, place{Recipient: in})
	got := fs.ids()
	if err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("user %d in %d: unread %v, want %v, %w", u, in, got, want, err)
	}
	return nil
}

func (h *harness) comparePage(m *readstatetest.Model, u user.ID) error {
	var page []message.Message
	for _, s := range m.Messages {
		if m.Readable(u, s) {
			page = append(page, stored(s))
		}
	}
	got, err := h.service.Of(h.ctx, h.view, u, page)
	if err != nil {
		return err
	}
	for i, msg := range page {
		want := Personal{Flags: []string{"read", "historical"}}
		if row := m.Row(u, msg.ID); row != nil {
			want = Personal{Received: row.Received, Flags: []string{}}
			for name, is := range map[string]bool{"read": row.Read, "starred": row.Starred, "historical": !row.Received} {
				if is {
					want.Flags = append(want.Flags, name)
				}
			}
		}
		slices.Sort(want.Flags)
		if slices.Sort(got[i].Flags); got[i].Received != want.Received || !slices.Equal(got[i].Flags, want.Flags) {
			return fmt.Errorf("user %d message %d: got %v, want %v", u, msg.ID, got[i], want)
		}
	}
	return nil
}

// compareByMessage compares the results for each message: the audience of changes, who has the message, and with which
// flags.
func (h *harness) compareByMessage(m *readstatetest.Model) error {
	var ms []message.Message
	var by []inbox.Delivery
	for _, s := range m.Messages {
		ms = append(ms, stored(s))
		for _, u := range m.People {
			by = append(by, inbox.Delivery{User: u, Message: stored(s)})
		}
	}
	if len(ms) == 0 {
		return nil
	}
	audiences, err := h.audience.Of(h.ctx, h.view, ms)
	if err != nil {
		return err
	}
	states, err := h.service.ForAllUsers(h.ctx, h.view, ms...)
	if err != nil {
		return err
	}
	byDelivery, err := h.audience.HoldersByDelivery(h.ctx, by)
	if err != nil {
		return err
	}
	together := map[message.Recipient]user.Set{}
	for i, s := range m.Messages {
		var notified, holders user.Set
		for n, u := range m.People {
			row := m.Row(u, s.ID)
			if row != nil {
				holders = append(holders, u)
			}
			if m.Notified(u, s) {
				notified = append(notified, u)
			}
			want := audience.Holder{Received: row != nil && row.Received, Has: row != nil}
			if got := byDelivery[i*len(m.People)+n]; got != want {
				return fmt.Errorf("user %d message %d: had %+v, want %+v", u, s.ID, got, want)
			}
			p := states[s.ID]
			if read := row == nil || row.Read; p.Received(u) != want.Received || p.Has(u) != want.Has || p.Read(u) != read {
				return fmt.Errorf("user %d message %d: everyone says received %v has %v read %v, want %+v", u, s.ID, p.Received(u),
					p.Has(u), p.Read(u), row)
			}
		}
		if got := audiences[i].Members(h.view); !slices.Equal(got, notified) {
			return fmt.Errorf("message %d in %d: audience %v, want %v", s.ID, s.Recipient, got, notified)
		}
		if got := states[s.ID].Users(); !slices.Equal(got, holders) {
			return fmt.Errorf("message %d in %d: held by %v, want %v", s.ID, s.Recipient, got, holders)
		}
		together[s.Recipient] = together[s.Recipient].Union(notified)
	}
	for in, members := range together {
		some := slices.DeleteFunc(slices.Clone(ms), func(m message.Message) bool { return m.Recipient != in })
		got, err := h.audience.Combined(h.ctx, h.view, some)
		if err != nil || !slices.Equal(got.Members(h.view), members) {
			return fmt.Errorf("messages in %d: audience %v, want %v, %w", in, got.Members(h.view), members, err)
		}
	}
	return nil
}

// checkUnreadMsgs checks that unread_msgs lists each unread ID once, in ascending order within its current
// conversation.
func checkUnreadMsgs(m unreadMsgs, model *readstatetest.Model, want []message.ID) error {
	var lists [][]message.ID
	for _, p := range m.PMs {
		lists = append(lists, p.IDs)
	}
	for _, s := range m.Streams {
		lists = append(lists, s.IDs)
		for _, id := range s.IDs {
			if at := model.Of(id).Recipient; at != message.OfChannel(s.StreamID) {
				return fmt.Errorf("unread_msgs: message %d in channel %d, want %d", id, s.StreamID, at)
			}
		}
	}
	for _, h := range m.Huddles {
		lists = append(lists, h.IDs)
	}
	var all []message.ID
	for _, l := range lists {
		if len(l) == 0 || !slices.IsSorted(l) {
			return fmt.Errorf("unread_msgs %+v: %v", m, l)
		}
		all = append(all, l...)
	}
	if slices.Sort(all); !slices.Equal(all, want) || m.Count != len(want) {
		return fmt.Errorf("unread_msgs %+v, want %v", m, want)
	}
	return nil
}
