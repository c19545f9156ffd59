package readstate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/readstate/readstatetest"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/ports"
)

// Steps to exclude: moves and deletions (withoutMoves), or also marks (withoutMarks).
var (
	withoutMoves = []readstatetest.Op{
		readstatetest.Subscribe, readstatetest.Unsubscribe, readstatetest.Mute, readstatetest.Unmute, readstatetest.MarkRead,
		readstatetest.MarkUnread, readstatetest.MarkAll, readstatetest.Star, readstatetest.Unstar, readstatetest.Policy,
	}
	withoutMarks = []readstatetest.Op{
		readstatetest.Send, readstatetest.Subscribe, readstatetest.Unsubscribe, readstatetest.Mute, readstatetest.Unmute,
		readstatetest.Policy,
	}
)

// pending is a mark about to be written.
type pending struct {
	x       *history
	step    readstatetest.Step
	lenient bool
	intent  *ports.Intent
}

// prepareMark requests a mark through one of the endpoints and returns the marks to write, or none if there is nothing
// to do.
func (h *harness) prepareMark(x *history, s readstatetest.Step, first bool) ([]*pending, error) {
	a := kit.Actor{Realm: h.realm, User: s.User}
	h.queue = nil
	p := &pending{x: x, step: s}
	var err error
	how := x.r.IntN(4)
	switch in, known := requests[s.Op]; {
	case !known:
		_, err = h.service.marker.markAll(h.ctx, a, kit.None{})
	case s.Op == readstatetest.MarkRead && how == 0 && first:
		p.step, err = h.markPlace(x, a)
	case how == 1: // by narrow, which omits messages that the user cannot see
		p.lenient = true
		p.step.IDs = x.extra(s.IDs)
		_, err = h.service.Mark(h.ctx, a, p.step.IDs, in.Op, in.Flag)
	default:
		if how == 2 {
			p.step.IDs = x.extra(s.IDs)
		}
		in.Messages = p.step.IDs
		_, err = h.service.marker.changeFlags(h.ctx, a, in)
	}
	if err != nil {
		return nil, err
	}
	if len(h.queue) == 0 {
		if left := idset.Of(p.step.IDs...).And(x.model.Unread(s.User)); len(left) > 0 {
			err = fmt.Errorf("nothing is marked, want %v", left)
		}
		return nil, err
	}
	p.intent = h.queue[0]
	return []*pending{p}, nil
}

// apply applies the step to the model if the user is permitted to take it.
func (p *pending) apply() (want readstatetest.Outcome, refused bool) {
	bad := func(id message.ID) bool { return !p.x.model.Admits(p.step.User, p.step.Op, id) }
	s := p.step
	s.IDs = idset.Of(s.IDs...)
	if p.lenient {
		s.IDs = slices.DeleteFunc(s.IDs, bad)
	}
	if slices.ContainsFunc(s.IDs, bad) {
		return want, true
	}
	return p.x.model.Apply(s), false
}

var requests = map[readstatetest.Op]changeReq{
	readstatetest.MarkRead:   {Op: "add", Flag: "read"},
	readstatetest.MarkUnread: {Op: "remove", Flag: "read"},
	readstatetest.Star:       {Op: "add", Flag: "starred"},
	readstatetest.Unstar:     {Op: "remove", Flag: "starred"},
}

// extra adds IDs of messages that are deleted or that the user cannot see.
func (x *history) extra(ids []message.ID) []message.ID {
	ids = slices.Clone(ids)
	for _, s := range x.model.Messages {
		if x.r.IntN(6) == 0 {
			ids = append(ids, s.ID)
		}
	}
	if len(x.gone) > 0 && x.r.IntN(3) == 0 {
		ids = append(ids, x.gone[x.r.IntN(len(x.gone))])
	}
	return ids
}

// markPlace marks a whole channel as read and returns the equivalent step.
func (h *harness) markPlace(x *history, a kit.Actor) (readstatetest.Step, error) {
	in := x.model.Channels[x.r.IntN(len(x.model.Channels))]
	s := readstatetest.Step{Op: readstatetest.MarkRead, User: a.User}
	for _, m := range x.model.Messages {
		if m.Recipient == in {
			s.IDs = append(s.IDs, m.ID)
		}
	}
	c, _ := in.Channel()
	_, err := h.service.marker.markChannel(h.ctx, a, markChannelReq{c})
	if !x.model.Subscribed(a.User, in) && (x.model.Private[in] || x.model.Guests.Has(a.User)) {
		if !errs.Is(err, errs.BadRequest) {
			return s, fmt.Errorf("channel %d is marked: %w", c, err)
		}
		return s, nil
	}
	return s, err
}

// write writes marks as the realm's writer does.
func (h *harness) write(some []*pending) error {
	in := make([]*ports.Intent, len(some))
	for i, p := range some {
		in[i] = p.intent
	}
	events, err := h.service.marker.write(h.ctx, h.view, 0, in)
	if err != nil {
		return err
	}
	rest := events
	for _, p := range some {
		want, refused := p.apply()
		if refused {
			if !errs.Is(p.intent.Err, errs.BadRequest) {
				return fmt.Errorf("%v: %w, want to be refused", p.step, p.intent.Err)
			}
			continue
		}
		m := p.intent.Value.(*mark)
		if p.intent.Err != nil || !p.hasEffect(m, want) {
			return fmt.Errorf("%v: got %v without %v, want %v, %w", p.step, m.Changed, m.Skipped, want, p.intent.Err)
		}
		if m.Op != opReadAll && len(m.Changed) == 0 {
			continue
		}
		if len(rest) == 0 {
			return errors.New("too few events")
		}
		sent := rest[0].Payload.(flags.Change)
		if (m.Op != opReadAll && !slices.Equal(sent.Messages, m.Changed)) || sent.All != (m.Op == opReadAll) ||
			rest[0].To.Single() != p.step.User {
			return fmt.Errorf("%v: the event has %v, want %v", p.step, sent, want)
		}
		for _, id := range m.Changed {
			if m.Op != opUnread {
				break
			}
			if c, is := p.x.model.Of(id).Recipient.Channel(); is && sent.Details[fmt.Sprint(id)].StreamID != int64(c) {
				return fmt.Errorf("%v: the event places %d in %+v, want %d", p.step, id, sent.Details[fmt.Sprint(id)], c)
			}
		}
		rest = rest[1:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("%d events too many", len(rest))
	}
	return h.Append(h.ctx, events...)
}

// hasEffect reports whether a mark had the wanted effect. Messages that were moved or deleted since the request may be
// reported as read although they no longer count.
func (p *pending) hasEffect(m *mark, want readstatetest.Outcome) bool {
	changed := m.Changed
	if m.Op == opRead {
		changed = slices.DeleteFunc(slices.Clone(changed), func(id message.ID) bool {
			return slices.Contains(p.x.changedNow, id) && !slices.Contains(want.Changed, id)
		})
	}
	var skipped []message.Recipient
	for _, c := range m.Skipped {
		skipped = append(skipped, message.OfChannel(c))
	}
	return slices.Equal(changed, want.Changed) && slices.Equal(skipped, want.Skipped)
}
