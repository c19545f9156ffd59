package edit

import (
	"context"
	"errors"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// precheck checks a move before the transaction that makes the move, which repeats the checks. Rejecting a move can
// take a long time, because it may count the messages of a long topic, so it must not hold locks.
func (s *Service) precheck(ctx context.Context, a kit.Actor, in request) error {
	if in.Topic == nil && in.Channel == nil {
		return nil
	}
	return s.Work.Snapshot(ctx, a.Realm, func(ctx context.Context) error {
		_, err := s.check(ctx, a, in)
		return err
	})
}

// check performs the checks that do not concern the target topic. It acquires no locks. Errors: BadRequest,
// Expectation, MoveLimit, StreamWildcard, TopicWildcard.
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
	var rejection *errs.Error
	if errors.As(err, &rejection) && rejection.Code == errs.MoveLimit {
		return nil, s.moveLimitError(ctx, c, rejection)
	}
	if err != nil {
		return nil, err
	}
	if c.Content != nil {
		if err := s.checkChanges(ctx, &c.before); err != nil {
			return nil, err
		}
		c.text, err = s.Sender.Rewrite(ctx, v, a, &c.before, *c.Content)
		if err != nil {
			return nil, err
		}
	}
	if since, limited := c.Since(v, c.now); limited && c.Whole(u) {
		first, older, err := s.Store.FirstIn(ctx, c.before.Realm, c.before.Recipient, c.before.TopicKey, since)
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

// moveLimitError adds to the error for moving an old message the number of messages of its topic that can still be
// moved.
func (s *Service) moveLimitError(ctx context.Context, c *change, limit *errs.Error) error {
	since, _ := c.Since(c.v, c.now)
	first, _, err := s.Store.FirstIn(ctx, c.before.Realm, c.before.Recipient, c.before.TopicKey, since)
	if err != nil {
		return err
	}
	m, err := s.movable(ctx, c, first)
	if err != nil {
		return err
	}
	return m.Complete(limit)
}

// movable counts the messages of the topic that the actor can see and, unless since is 0, those of them with IDs of at
// least since.
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
