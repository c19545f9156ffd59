package push

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/push"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// plan groups notifications by how they are sent.
type plan struct {
	view     *directory.View
	now      time.Time
	batches  []batch   // requests to the push service
	web      []webItem // Web Push requests
	webOnly  []notice  // notifications that are in web but in no batch
	obsolete []notice  // notifications that have not been sent and need not be
	// Earlier attempts to send the following notifications may have reached some devices:
	withdraw []notice // the user has read the message or can no longer see it
	expired  []notice // too old for further attempts

	encodeErr error // the last error from encoding a payload
}

// payload builds the payload for a device. For Web Push it includes a badge.
type payload func(c push.Common, web bool) any

// reach returns the types of devices to which notifications can be sent.
func (s *service) reach() reach {
	return reach{service: s.Service.Configured(), web: s.Web.Configured()}
}

// plan groups due notifications, and encodes or encrypts them for all devices of their receivers.
func (s *service) plan(ctx context.Context, v *directory.View, rows []notice) (*plan, error) {
	var us []user.ID
	var send []notice
	withdraw := map[user.ID][]notice{}
	for _, r := range rows {
		us = append(us, r.UserID)
		if r.State == toSend {
			send = append(send, r)
		} else {
			withdraw[r.UserID] = append(withdraw[r.UserID], r)
		}
	}
	slices.Sort(us)
	devices, err := s.store.Active(ctx, slices.Compact(us), s.reach())
	if err != nil {
		return nil, err
	}
	badges, err := s.badges(ctx, devices)
	if err != nil {
		return nil, err
	}
	unread, err := s.unread(ctx, v.Realm().ID, send)
	if err != nil {
		return nil, err
	}
	p := &plan{view: v, now: s.Clock.Now()}
	cutoff := p.now.Add(-noticeLifetime)
	texts := newTexts(s, v)
	for _, n := range send {
		m := unread[n.MessageID]
		sees := m != nil && m.Users.Has(n.UserID)
		if !sees || n.CreatedAt.Before(cutoff) {
			switch {
			case n.Tries == 0:
				p.obsolete = append(p.obsolete, n)
			case sees:
				p.expired = append(p.expired, n)
			default:
				p.withdraw = append(p.withdraw, n)
			}
			continue
		}
		p.add(devices[n.UserID], messagePayload(v, m, n, texts.of(m, n.UserID), badges[n.UserID]), n)
	}
	for u, all := range withdraw {
		slices.SortFunc(all, func(x, y notice) int { return cmp.Compare(x.MessageID, y.MessageID) })
		for some := range slices.Chunk(all, push.MaxRemoved) {
			ids := make([]message.ID, len(some))
			for i, n := range some {
				ids[i] = n.MessageID
			}
			p.add(devices[u], removePayload(ids, badges[u]), some...)
		}
	}
	return p, nil
}

// badges returns the number of unread notifications for users with Web Push devices.
func (s *service) badges(ctx context.Context, devices map[user.ID][]*push.Device) (map[user.ID]int, error) {
	var us []user.ID
	for u, all := range devices {
		if slices.ContainsFunc(all, func(d *push.Device) bool { return d.Web != nil }) {
			us = append(us, u)
		}
	}
	return s.store.Badges(ctx, us)
}

// add adds requests with a payload for a user's devices. On a retry, add skips Web Push devices: deliverWeb has stored
// their failed requests separately. It also skips devices for which encoding fails, so that they do not block others.
func (p *plan) add(devices []*push.Device, payload payload, rows ...notice) {
	quiet := rows[0].State == toWithdraw
	isRetry := !slices.ContainsFunc(rows, func(n notice) bool { return n.Tries == 0 })
	var requests []push.ServiceNotification
	web := false
	for _, d := range devices {
		common := commonOf(p.view, d, quiet)
		if d.Web != nil {
			web = true
			if isRetry || quiet && !d.Web.Withdraws {
				continue
			}
			item, err := webItemOf(d, payload(common, true), p.now, rows)
			if err != nil {
				p.encodeErr = err
				continue
			}
			p.web = append(p.web, item)
			continue
		}
		n, err := encryptedFor(d, payload(common, false))
		if err != nil {
			p.encodeErr = err
			continue
		}
		n.Quiet = quiet
		requests = append(requests, n)
	}
	switch n := len(p.batches); {
	case len(requests) == 0 && web:
		p.webOnly = append(p.webOnly, rows...)
		return
	case len(requests) == 0:
		p.obsolete = append(p.obsolete, rows...)
		return
	case n == 0 || len(p.batches[n-1].requests)+len(requests) > perCall:
		p.batches = append(p.batches, batch{})
	}
	p.batches[len(p.batches)-1].add(requests, rows...)
}

func commonOf(v *directory.View, d *push.Device, quiet bool) push.Common {
	kind := "message"
	if quiet {
		kind = "remove"
	}
	return push.Common{Type: kind, RealmURL: d.URL, RealmName: v.Realm().Settings.Name, User: d.User}
}

func removePayload(ids []message.ID, badge int) payload {
	return func(c push.Common, web bool) any {
		out := push.Remove{Common: c, Messages: ids}
		if web {
			return push.WebRemove{Remove: out, Badge: badge}
		}
		return out
	}
}

// messagePayload returns the payload of a notification of a message.
func messagePayload(v *directory.View, m *message.Unread, n notice, text string, badge int) payload {
	base := messageOf(v, m, n, text)
	return func(c push.Common, web bool) any {
		out := base
		out.Common, out.SenderAvatar = c, absolute(c.RealmURL, base.SenderAvatar)
		if web {
			return push.WebMessage{Message: out, Badge: badge}
		}
		return out
	}
}

// messageOf returns the fields of a message's payload that are the same for all devices.
func messageOf(v *directory.View, m *message.Unread, n notice, text string) push.Message {
	reader := v.User(n.UserID)
	sender := permission.UserOrStranger(v, reader, m.Sender)
	out := push.Message{
		ID: m.ID, Sender: m.Sender, SenderName: sender.FullName, SenderAvatar: *permission.AvatarURL(v, sender, false),
		Time: m.SentAt.Unix(), Content: text,
	}
	if c := message.ChannelOf(v, m.Recipient); c != nil {
		out.RecipientType, out.Channel, out.ChannelName = "channel", c.ID, c.Name
		out.Topic = topic.Show(m.Topic, false)
	} else {
		out.RecipientType, out.Recipients = "direct", m.Members
	}
	if g := v.Group(n.GroupID); g != nil {
		out.Group, out.GroupName = g.ID, g.Name
	}
	return out
}

// absolute returns address as an absolute URL. site is the URL of the server.
func absolute(site, address string) string {
	if strings.HasPrefix(address, "/") {
		return strings.TrimSuffix(site, "/") + address
	}
	return address
}
