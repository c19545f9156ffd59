package message

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Values of propagate_mode, which determines the other messages of the topic that a move includes.
const (
	ChangeOne   = "change_one"
	ChangeLater = "change_later" // messages with higher IDs
	ChangeAll   = "change_all"
)

// ChangeRequest is a request to change a message. Nil and zero fields stay unchanged.
type ChangeRequest struct {
	Topic    *string // as in the request
	Channel  channel.ID
	Mode     string
	Content  *string
	PrevHash *string // hex SHA-256 of the content that the client knows
}

// Plan is a change to a message that PlanChange allows.
type Plan struct {
	Content  *string          // the new content, clean
	Topic    *string          // the new topic, clean
	Channel  *channel.Channel // current channel; nil for direct messages
	Target   *channel.Channel // new channel, if different
	Mode     string
	Resolved bool // the change only resolves or unresolves the topic
}

// Moves reports whether the message moves.
func (p *Plan) Moves() bool { return p.Topic != nil || p.Target != nil }

// Into returns the channel of the message after the change.
func (p *Plan) Into() *channel.Channel {
	if p.Target != nil {
		return p.Target
	}
	return p.Channel
}

// PlanChange validates a request by u, who must have access to m, in the documented order. It does not check mentions,
// the time limit for moving whole topics, or whether u is allowed to create topics. Errors: BadRequest; Expectation;
// MoveLimit, which is returned with the plan and completed by Movable.Complete.
func PlanChange(v *directory.View, u *user.User, m *Message, in ChangeRequest, now time.Time) (*Plan, error) {
	p := &Plan{Mode: in.Mode}
	both := in.Content != nil && in.Channel != 0 // refused for any channel
	if id, isChannel := m.Recipient.Channel(); isChannel {
		p.Channel = v.Channel(id)
		if in.Channel == id {
			in.Channel = 0
		}
		if in.Topic != nil && topic.Canonical(strings.TrimSpace(*in.Topic)) == m.Topic {
			in.Topic = nil
		}
	}
	if in.Content != nil {
		if err := checkContent(v, u, m, now); err != nil {
			return nil, err
		}
	}
	switch {
	case in.Content == nil && in.Topic == nil && in.Channel == 0:
		return nil, errs.Bad("Nothing to change")
	case p.Channel == nil && in.Channel != 0:
		return nil, errs.Bad("Direct messages cannot be moved to channels.")
	case p.Channel == nil && in.Topic != nil:
		return nil, errs.Bad("Direct messages cannot have topics.")
	case in.Mode != ChangeOne && in.Topic == nil && in.Channel == 0:
		return nil, errs.Bad("Invalid propagate_mode without topic edit")
	case in.Topic != nil && topic.ResolvesEmpty(*in.Topic):
		return nil, errs.Bad("General chat cannot be marked as resolved")
	}
	if in.Topic != nil {
		name, err := topic.Clean(*in.Topic)
		if err != nil {
			return nil, err
		}
		if name != m.Topic {
			p.Topic = &name
		} else if in.Content == nil && in.Channel == 0 { // truncated, it equals the current topic
			return nil, errs.Bad("Nothing to change")
		}
	}
	if both {
		return nil, errs.Bad("Cannot change message content while changing channel")
	}
	if err := p.planContent(m, in); err != nil {
		return nil, err
	}
	return p, p.planMove(v, u, m, in, now)
}

// CheckEdit returns an error unless u, who must have access to m, is allowed to edit its content now. Errors:
// BadRequest.
func CheckEdit(v *directory.View, u *user.User, m *Message, now time.Time) error {
	if err := checkContent(v, u, m, now); err != nil {
		return err
	}
	if m.Facts&HasWidget != 0 {
		return errs.Bad("Widgets cannot be edited.")
	}
	return nil
}

func checkContent(v *directory.View, u *user.User, m *Message, now time.Time) error {
	s := v.Realm().Settings
	switch {
	case !s.AllowMessageEditing:
		return errs.Bad("Your organization has turned off message editing")
	case m.Sender != u.ID:
		return errs.Bad("You don't have permission to edit this message")
	case !inTime(s.MessageContentEditLimitSeconds, m.SentAt, now, Grace):
		return errs.Bad("The time limit for editing this message has passed")
	}
	return nil
}

// planContent validates the new content and adds it to the plan.
func (p *Plan) planContent(m *Message, in ChangeRequest) error {
	switch {
	case in.Content != nil && m.Facts&HasWidget != 0:
		return errs.Bad("Widgets cannot be edited.")
	case in.PrevHash != nil && !strings.EqualFold(*in.PrevHash, hashOf(m.Content)):
		return errs.New(errs.Expectation, "'prev_content_sha256' value does not match the expected value.")
	case in.Content == nil:
		return nil
	}
	text := *in.Content
	if strings.TrimRightFunc(text, unicode.IsSpace) == "" {
		text = "(deleted)"
	}
	text, err := Clean(text)
	p.Content = &text
	return err
}

func hashOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// planMove validates the move and adds it to the plan.
func (p *Plan) planMove(v *directory.View, u *user.User, m *Message, in ChangeRequest, now time.Time) error {
	if in.Channel != 0 {
		c := v.Channel(in.Channel)
		if !permission.Reads(v, c, u) || c.Archived {
			return channel.Invalid()
		}
		p.Target = c
	}
	if !p.Moves() {
		return nil
	}
	settings := v.Realm().Settings
	name := m.Topic
	if p.Topic != nil {
		name = *p.Topic
		p.Resolved = p.Target == nil && topic.Toggling(m.Topic, strings.TrimSpace(*in.Topic))
	}
	if err := topic.CheckPolicy(p.Into().TopicsPolicy, settings.TopicsPolicy, name); err != nil {
		return err
	}
	switch {
	case p.Resolved && !MayResolve(v, u, p.Channel):
		return errs.Bad("You don't have permission to resolve topics in this channel.")
	case p.Topic != nil && !p.Resolved && !MayRename(v, u, p.Channel, p.Target == nil):
		return errs.Bad("You don't have permission to edit this message")
	case p.Topic != nil && !p.Resolved && !exemptFromLimits(u) &&
		!inTime(settings.MoveMessagesWithinStreamLimit, m.SentAt, now, Grace):
		return errs.New(errs.MoveLimit, "The time limit for editing this message's topic has passed.")
	case p.Target == nil:
		return nil
	case !MayMoveOut(v, u, p.Channel):
		return errs.Bad("You don't have permission to move this message")
	}
	if err := CheckPost(v, u, p.Target); err != nil {
		return err
	}
	if !exemptFromLimits(u) && !inTime(settings.MoveMessagesBetweenStreamsLimit, m.SentAt, now, Grace) {
		return errs.New(errs.MoveLimit, "The time limit for editing this message's channel has passed")
	}
	return nil
}

// Movable counts the messages of a topic that a user can see: all of them, and those that are not too old to be moved.
// First is the lowest ID of the latter, or 0.
type Movable struct {
	Total, Allowed int
	First          ID
}

// Add counts one more message. since is the lowest ID that is not too old to be moved; 0 means that all are too old.
func (m *Movable) Add(id, since ID) {
	m.Total++
	if since == 0 || id < since {
		return
	}
	m.Allowed++
	if m.First == 0 || id < m.First {
		m.First = id
	}
}

// Whole reports whether CheckWhole applies: u is not exempt from time limits and moves a whole topic.
func (p *Plan) Whole(u *user.User) bool {
	return p.Mode == ChangeAll && !p.Resolved && !exemptFromLimits(u)
}

// CheckWhole refuses to move a whole topic if some messages that the actor can see are too old. Errors: MoveLimit with
// three counters.
func (p *Plan) CheckWhole(m Movable) error {
	if m.Allowed == m.Total {
		return nil
	}
	return m.Complete(
		errs.New(
			errs.MoveLimit,
			"You only have permission to move the %d/%d most recent messages in this topic.",
			m.Allowed,
			m.Total,
		),
	)
}

// Since returns the earliest sending time of messages that can be moved as planned, or false if there is no limit.
func (p *Plan) Since(v *directory.View, now time.Time) (time.Time, bool) {
	s := v.Realm().Settings
	var limit *int
	stricter := func(l *int) {
		if l != nil && (limit == nil || *l < *limit) {
			limit = l
		}
	}
	if p.Topic != nil {
		stricter(s.MoveMessagesWithinStreamLimit)
	}
	if p.Target != nil {
		stricter(s.MoveMessagesBetweenStreamsLimit)
	}
	if limit == nil {
		return time.Time{}, false
	}
	return now.Add(-time.Duration(*limit)*time.Second - Grace), true
}

// Complete adds three counters to a MoveLimit error.
func (m Movable) Complete(refusal *errs.Error) error {
	var first any
	if m.First != 0 {
		first = m.First
	}
	return refusal.With("first_message_id_allowed_to_move", first).
		With("total_messages_in_topic", m.Total).
		With("total_messages_allowed_to_move", m.Allowed)
}
