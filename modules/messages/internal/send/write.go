package send

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// write writes a batch of drafts with a constant number of statements. Rejected and repeated messages are removed from
// the batch before anything is written.
func (s *Service) write(
	ctx context.Context,
	v *directory.View,
	_ event.Seq,
	in []*ports.Intent,
) ([]event.Event, error) {
	newKeys := firstAttempt(in)
	sends, repeats, err := s.recheck(ctx, v, in, newKeys)
	if err != nil {
		return nil, err
	}
	if len(sends) > 0 {
		if err := s.store(ctx, v, sends, newKeys); err != nil {
			return nil, err
		}
	}
	for repeat, first := range repeats {
		repeat.id = first.message.ID
	}
	return s.publish(ctx, v, sends)
}

// firstAttempt reports whether this is the first attempt to write each of the drafts, and marks them as tried. Keys are
// rarely repeated, so the first attempt assumes that all are new. If one is not, the transaction fails, and the second
// attempt looks them up.
func firstAttempt(in []*ports.Intent) bool {
	first := true
	for _, i := range in {
		d := i.Value.(*draft)
		first = first && !d.tried
		d.tried = true
	}
	return first
}

// recheck repeats all checks on the view of the transaction. It returns the drafts to write, and maps each draft that
// repeats one of these to the draft that it repeats. newKeys means that no key of the batch has been used before.
func (s *Service) recheck(
	ctx context.Context,
	v *directory.View,
	in []*ports.Intent,
	newKeys bool,
) ([]*draft, map[*draft]*draft, error) {
	var known map[store.Key]store.Key
	if !newKeys {
		var err error
		if known, err = s.knownKeys(ctx, in); err != nil {
			return nil, nil, err
		}
	}
	var sends []*draft
	repeats, first := map[*draft]*draft{}, map[store.Key]*draft{}
	for _, i := range in {
		d := i.Value.(*draft)
		d.id, d.policy = 0, topic.None
		key := store.Key{User: d.message.Sender, Key: d.key}
		if d.key != "" {
			if earlier, ok := known[key]; ok {
				if earlier.Body == d.body {
					d.id = earlier.Message
					continue
				}
				if d.strict {
					i.Err = errKeyReused()
					continue
				}
			}
			if earlier := first[key]; earlier != nil {
				if earlier.body == d.body {
					repeats[d] = earlier
					continue
				}
				if d.strict {
					i.Err = errKeyReused()
					continue
				}
			}
		}
		if i.Err = d.checkPlace(ctx, v); i.Err == nil {
			i.Err = d.checkMentions(v)
		}
		if i.Err != nil {
			continue
		}
		first[key] = d
		sends = append(sends, d)
	}
	return sends, repeats, nil
}

func errKeyReused() error {
	return errs.Bad("This Idempotency-Key was used for another message")
}

func (s *Service) knownKeys(ctx context.Context, in []*ports.Intent) (map[store.Key]store.Key, error) {
	var keys []store.Key
	for _, i := range in {
		if d := i.Value.(*draft); d.key != "" {
			keys = append(keys, store.Key{User: d.message.Sender, Key: d.key})
		}
	}
	found, err := s.Store.Keys.Known(ctx, keys)
	known := make(map[store.Key]store.Key, len(found))
	for _, k := range found {
		known[store.Key{User: k.User, Key: k.Key}] = k
	}
	return known, err
}

// store writes the messages, the flags that they determine, and the keys.
func (s *Service) store(ctx context.Context, v *directory.View, sends []*draft, newKeys bool) error {
	now := s.Clock.Now()
	ms := make([]*message.Message, len(sends))
	for i, d := range sends {
		d.message.ID = 0
		d.message.SentAt = now
		ms[i] = &d.message
	}
	if err := s.Store.Insert(ctx, ms); err != nil {
		return err
	}
	if err := s.Store.Submessages.AddAll(ctx, widgets(sends)); err != nil {
		return err
	}
	var flagged []flags.Assignment
	var keys []store.Key
	used := map[store.Key]int{}
	for _, d := range sends {
		d.id = d.message.ID
		d.flags = d.sentFlags(v)
		if d.flags.HasFlags() {
			flagged = append(flagged, d.flags)
		}
		if d.key == "" {
			continue
		}
		k := store.Key{User: d.message.Sender, Key: d.key, Body: d.body, Message: d.id, At: now}
		at := store.Key{User: k.User, Key: k.Key}
		if i, ok := used[at]; ok {
			keys[i] = k
			continue
		}
		used[at] = len(keys)
		keys = append(keys, k)
	}
	if len(flagged) > 0 {
		if err := s.Flags.SetNew(ctx, flagged); err != nil {
			return err
		}
	}
	return s.Store.Keys.Store(ctx, keys, newKeys)
}

// widgets returns the initial submessage of each draft that is a widget, such as a poll.
func widgets(sends []*draft) []message.Submessage {
	var out []message.Submessage
	for _, d := range sends {
		if d.widget != "" {
			out = append(
				out,
				message.Submessage{Message: d.message.ID, Sender: d.message.Sender, Type: message.TypeWidget, Content: d.widget},
			)
		}
	}
	return out
}

// publish returns the events in the order of the messages' IDs, applies automatic policies, and runs message.Sent.
func (s *Service) publish(ctx context.Context, v *directory.View, sends []*draft) ([]event.Event, error) {
	events := make([]event.Event, 0, len(sends))
	sent := &message.Sent{
		Realm: v.Realm().ID, Mentioned: map[message.ID]user.Set{},
		Pages:       map[message.ID][]string{},
		Attachments: map[message.ID][]string{},
	}
	updated := map[channel.ID]bool{}
	for _, d := range sends {
		e := s.eventOf(d)
		if c := v.Channel(d.channel); c != nil && (c.FirstMessage == 0 || c.Quiet) && !updated[c.ID] {
			updated[c.ID] = true
			var err error
			if e, err = s.updateChannel(ctx, e, c, &d.message); err != nil {
				return nil, err
			}
		}
		events = append(events, e)
		sent.Messages = append(sent.Messages, d.message)
		if len(d.flags.Mentioned) > 0 {
			sent.Mentioned[d.id] = d.flags.Mentioned
		}
		if len(d.rendered.Pages) > 0 {
			sent.Pages[d.id] = d.rendered.Pages
		}
		if len(d.rendered.Attachments) > 0 {
			sent.Attachments[d.id] = d.rendered.Attachments
		}
		if calls := message.Calls(v, &d.message, d.members, d.addressed()); len(calls) > 0 {
			if sent.Calls == nil {
				sent.Calls = map[message.ID]user.Set{}
			}
			sent.Calls[d.id] = calls
		}
	}
	if len(sends) == 0 {
		return nil, nil
	}
	if err := s.applyPolicies(ctx, sent, sends); err != nil {
		return nil, err
	}
	if s.sent != nil {
		s.Work.AfterCommit(ctx, func(context.Context) { s.count(sends) })
	}
	return events, s.Hooks.Run(ctx, sent)
}

// count counts messages that were committed.
func (s *Service) count(sends []*draft) {
	for _, d := range sends {
		if d.channel != 0 {
			s.sent.Add(1, "channel")
		} else {
			s.sent.Add(1, "direct")
		}
	}
}

// applyPolicies applies the automatic policies of senders and mentioned users.
func (s *Service) applyPolicies(ctx context.Context, sent *message.Sent, sends []*draft) error {
	if s.Policies == nil {
		return nil
	}
	changing := map[message.ID]bool{}
	for _, d := range sends {
		if d.changesPolicy {
			changing[d.id] = true
		}
	}
	policies, err := s.Policies.Apply(ctx, sent, changing)
	for _, d := range sends {
		d.policy = policies[d.id]
	}
	return err
}

// updateChannel updates a channel that receives its first message, or its first message after a quiet period.
func (s *Service) updateChannel(
	ctx context.Context,
	e event.Event,
	c *channel.Channel,
	m *message.Message,
) (event.Event, error) {
	was := *c
	if c.Quiet {
		was.Quiet = false
		if err := s.Hooks.Run(ctx, &channel.BecameActive{Realm: m.Realm, Channel: c.ID}); err != nil {
			return e, err
		}
	}
	if c.FirstMessage != 0 {
		return e, nil
	}
	now := was
	now.FirstMessage = int64(m.ID)
	err := s.Hooks.Run(ctx, &channel.FirstMessagePosted{Realm: m.Realm, Channel: c.ID, First: now.FirstMessage})
	return e.Changing(directory.OfChannel(&was, &now)), err
}
