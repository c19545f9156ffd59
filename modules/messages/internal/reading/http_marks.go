package reading

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/modules/kit"
)

type changeReq struct {
	Messages []message.ID `json:"messages"`
	Op       string       `json:"op"`
	Flag     string       `json:"flag"`
}

type changeRes struct {
	Messages []message.ID `json:"messages"` // as they were sent
	Ignored  channel.Set  `json:"ignored_because_not_subscribed_channels"`
}

// known are flags that exist but that nobody sets by hand.
var known = map[string]bool{
	"mentioned": true, "stream_wildcard_mentioned": true, "topic_wildcard_mentioned": true, "group_mentioned": true,
	"wildcard_mentioned": true, "has_alert_word": true, "historical": true, "force_expand": true, "force_collapse": true,
}

// change is POST /messages/flags. Errors: BadRequest.
func (s *Service) change(ctx context.Context, a kit.Actor, in changeReq) (changeRes, error) {
	_, skipped, err := s.mark(ctx, a, in, false)
	res := changeRes{Messages: in.Messages, Ignored: skipped}
	if res.Messages == nil {
		res.Messages = []message.ID{}
	}
	return res, err
}

// CheckMark refuses flags and operations that there are not. Errors: BadRequest.
func (s *Service) CheckMark(op, flag string) error {
	_, ok := message.Editable(flag)
	switch {
	case !ok && known[flag]:
		return errs.Bad("Flag not editable: '%s'", flag)
	case !ok:
		return errs.Bad("Invalid flag: '%s'", flag)
	case op != "add" && op != "remove":
		return errs.Bad("Invalid message flag operation: '%s'", op)
	}
	return nil
}

// Mark sets or removes a flag of messages that the caller could see a moment ago; those that are gone by now are left
// out. It gives those that had it otherwise, ascending, and the channels that were left out because the caller does not
// subscribe to them. Errors: BadRequest.
func (s *Service) Mark(
	ctx context.Context,
	a kit.Actor,
	ids []message.ID,
	op, flag string,
) ([]message.ID, channel.Set, error) {
	return s.mark(ctx, a, changeReq{Messages: ids, Op: op, Flag: flag}, true)
}

func (s *Service) mark(
	ctx context.Context,
	a kit.Actor,
	in changeReq,
	lenient bool,
) ([]message.ID, channel.Set, error) {
	m, err := s.asked(ctx, a, in)
	if err != nil {
		return nil, nil, err
	}
	m.Lenient = lenient
	if err := s.submit(ctx, m); err != nil {
		return nil, nil, err
	}
	if m.Skipped == nil {
		m.Skipped = channel.Set{}
	}
	return m.Changed, m.Skipped, nil
}

// asked makes of a request what is to be written.
func (s *Service) asked(ctx context.Context, a kit.Actor, in changeReq) (*mark, error) {
	if err := s.CheckMark(in.Op, in.Flag); err != nil {
		return nil, err
	}
	bit, _ := message.Editable(in.Flag)
	m := &mark{By: a.User, Realm: a.Realm, Flag: bit, Name: in.Flag, IDs: idset.Of(in.Messages...)}
	switch {
	case bit != 0 && in.Op == "add":
		m.Op = opStar
	case bit != 0:
		m.Op = opUnstar
	case in.Op == "remove":
		m.Op = opUnread
		m.Muting = readstate.Muting{Realm: a.Realm, User: a.User}
		return m, s.needs.Hooks.Run(ctx, &m.Muting)
	default:
		m.Op = opRead
		v, err := s.needs.Directory.View(ctx, a.Realm)
		if err == nil {
			m.Known, err = s.lookup(ctx, v, a.Realm, m.IDs)
		}
		return m, err
	}
	return m, nil
}

type completeRes struct {
	Complete bool `json:"complete"`
}

// markAll is POST /mark_all_as_read.
func (s *Service) markAll(ctx context.Context, a kit.Actor, _ kit.None) (completeRes, error) {
	err := s.submit(ctx, &mark{By: a.User, Realm: a.Realm, Op: opReadAll, Name: message.NameRead})
	return completeRes{err == nil}, err
}

type markChannelReq struct {
	StreamID channel.ID `json:"stream_id"`
}

// markChannel is POST /mark_stream_as_read. Errors: BadRequest.
func (s *Service) markChannel(ctx context.Context, a kit.Actor, in markChannelReq) (kit.None, error) {
	return kit.None{}, s.markPlace(ctx, a, in.StreamID, nil)
}

type markTopicReq struct {
	StreamID  channel.ID `json:"stream_id"`
	TopicName string     `json:"topic_name"`
}

// markTopic is POST /mark_topic_as_read. Errors: BadRequest.
func (s *Service) markTopic(ctx context.Context, a kit.Actor, in markTopicReq) (kit.None, error) {
	return kit.None{}, s.markPlace(ctx, a, in.StreamID, &in.TopicName)
}

// markPlace marks a channel, or one topic of it, as read.
func (s *Service) markPlace(ctx context.Context, a kit.Actor, c channel.ID, name *string) error {
	v, err := s.needs.Directory.View(ctx, a.Realm)
	if err != nil {
		return err
	}
	if !permission.Reads(v, v.Channel(c), v.User(a.User)) {
		return errs.Bad("Invalid channel ID")
	}
	in := place{Recipient: message.OfChannel(c)}
	p, old, err := s.person(ctx, v, a.User)
	if err != nil {
		return err
	}
	if name != nil {
		key := topic.Key(topic.Meant(*name))
		in.TopicKey = &key
		if key != "" {
			if has, err := s.has(ctx, a, in); err != nil || !has {
				return noTopic(err, *name)
			}
		}
	}
	fs, err := s.unreadIn(ctx, p, old, a.Realm, in)
	if err != nil || len(fs) == 0 {
		return err
	}
	m := &mark{By: a.User, Realm: a.Realm, Op: opRead, Name: message.NameRead, Known: fs, Quiet: true}
	for _, f := range fs {
		m.IDs = append(m.IDs, f.ID)
	}
	return s.submit(ctx, m)
}

// has tells whether the caller has a message of a topic.
func (s *Service) has(ctx context.Context, a kit.Actor, in place) (bool, error) {
	has, err := s.store.HasOwn(ctx, a.User, in.Recipient, *in.TopicKey)
	if err != nil || has {
		return has, err
	}
	crossed, err := s.store.Crossed(
		ctx,
		a.Realm,
		[]earlier{{in: in.Recipient, key: *in.TopicKey, within: []ids{{1, 1 << 60}}}},
	)
	if err != nil {
		return false, err
	}
	by := make([]By, len(crossed[0]))
	for i, m := range crossed[0] {
		by[i] = By{a.User, m}
	}
	had, err := s.Had(ctx, by)
	return slices.ContainsFunc(had, func(h Had) bool { return h.Own }), err
}

func noTopic(err error, name string) error {
	if err != nil {
		return err
	}
	return errs.Bad("No such topic '%s'", name)
}
