package edit

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// checkEarly checks a move before the transaction that makes it, and that repeats the checks. Refusing a move can take
// long, since it may count the messages of a long topic, and must not hold locks.
func (s *Service) checkEarly(ctx context.Context, a kit.Actor, in request) error {
	if in.Topic == nil && in.Channel == nil {
		return nil
	}
	return s.Work.Snapshot(ctx, a.Realm, func(ctx context.Context) error {
		_, err := s.check(ctx, a, in)
		return err
	})
}

// check makes the checks that do not concern the target topic. It locks nothing. Errors: BadRequest, Expectation,
// MoveLimit, StreamWildcard, TopicWildcard.
func (s *Service) check(ctx context.Context, a kit.Actor, in request) (*change, error) {
	v, u, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return nil, err
	}
	found, err := s.Access.Changeable(ctx, v, u, in.ID) // the view orders this transaction with concurrent changes
	if err != nil {
		return nil, err
	}
	c := &change{by: a, actor: u, v: v, in: in, now: s.Clock.Now(), before: found.Message, after: found.Message}
	c.Plan, err = message.PlanChange(v, u, &c.before, message.ChangeRequest{
		Topic: in.Topic, Channel: in.target(), Mode: in.Mode, Content: in.Content, PrevHash: in.PrevHash,
	}, c.now)
	var refusal *errs.Error
	if errors.As(err, &refusal) && refusal.Code == errs.MoveLimit {
		return nil, s.tooLate(ctx, c, refusal)
	}
	if err != nil {
		return nil, err
	}
	if c.Content != nil {
		if err := s.checkChanges(ctx, &c.before); err != nil {
			return nil, err
		}
		c.text, err = s.Sending.Rewrite(ctx, v, a.URL, &c.before, *c.Content)
		if err != nil {
			return nil, err
		}
	}
	if since, limited := c.Since(v, c.now); limited && c.Whole(u) {
		first, older, err := s.Store.FirstIn(ctx, c.before.Recipient, c.before.TopicKey, since)
		if err != nil || !older {
			return c, err
		}
		m, err := s.movable(ctx, c, first)
		if err != nil {
			return nil, err
		}
		return c, c.CheckWhole(m)
	}
	return c, nil
}

// tooLate adds to the refusal to move an old message how many messages of its topic can still be moved.
func (s *Service) tooLate(ctx context.Context, c *change, refusal *errs.Error) error {
	since, _ := c.Since(c.v, c.now)
	first, _, err := s.Store.FirstIn(ctx, c.before.Recipient, c.before.TopicKey, since)
	if err != nil {
		return err
	}
	m, err := s.movable(ctx, c, first)
	if err != nil {
		return err
	}
	return m.Complete(refusal)
}

// movable counts the messages of the topic that the actor can see, and those of them with IDs from since on. If since
// is 0, the second count is 0.
func (s *Service) movable(ctx context.Context, c *change, since message.ID) (message.Movable, error) {
	if c.Channel.HistoryPublic {
		return s.Topics.Count(ctx, c.before.Recipient, c.before.TopicKey, since)
	}
	return s.Topics.CountOwn(ctx, c.actor.ID, c.before.Recipient, c.before.TopicKey, since)
}

// checkChanges limits how often a message can be edited. Errors: BadRequest.
func (s *Service) checkChanges(ctx context.Context, m *message.Message) error {
	if m.Facts&message.Changed == 0 {
		return nil
	}
	n, err := s.Store.Edits.Count(ctx, m.ID)
	if err != nil || n < message.MaxChanges {
		return err
	}
	return errs.Bad("A message can be changed at most %d times. Send a new one.", message.MaxChanges)
}
