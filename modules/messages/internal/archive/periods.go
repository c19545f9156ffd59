package archive

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// periodLine is a time in which a user has received the messages of a channel with protected history.
type periodLine struct {
	User    user.ID    `json:"user_id"`
	Channel channel.ID `json:"channel_id"`
	From    time.Time  `json:"from"`           // the first message
	Upto    *time.Time `json:"upto,omitempty"` // the last message; absent: the user still receives them
}

// periods returns the page of the next channel with protected history, for users whose private data is exported.
func (s *Service) periods(ctx context.Context, x *export.Scope, after string) (export.Page, error) {
	var at channel.ID
	if err := decodeCursor(after, &at); err != nil || x.NobodyConsents() {
		return export.Page{}, err
	}
	var next channel.ID
	for c := range x.View.Channels() {
		if c.ID > at && c.Private && !c.HistoryPublic && (next == 0 || c.ID < next) {
			next = c.ID
		}
	}
	if next == 0 {
		return export.Page{}, nil
	}
	page := export.Page{Next: encodeCursor(next)}
	in := message.OfChannel(next)
	boxes, err := s.Inbox.InboxesIn(ctx, []message.Recipient{in}, nil)
	if err != nil {
		return page, err
	}
	stretches, err := s.Store.Stretches(ctx, x.View.Realm().ID)
	if err != nil {
		return page, err
	}
	for u := range x.View.Users() {
		if boxes[u.ID] == nil || !x.Private(u.ID) {
			continue
		}
		for _, p := range boxes[u.ID].Periods {
			for _, h := range stretches {
				within := store.Range{From: max(h.From, p.FromMsg+1), To: h.To}
				if !p.Open() {
					within.To = min(h.To, p.ToMsg)
				}
				first, last, err := s.Store.Exports.Span(ctx, in, within)
				if err != nil {
					return page, err
				}
				open := p.Open() && h.To == message.MaxID
				if first.IsZero() && !open {
					continue
				}
				line := periodLine{User: u.ID, Channel: next, From: first}
				if first.IsZero() { // nothing was sent since
					line.From = x.Until
				}
				if !open {
					line.Upto = &last
				}
				page.Lines = append(page.Lines, line)
			}
		}
	}
	return page, nil
}
