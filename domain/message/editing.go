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

// The propagate modes: which other messages of the topic a move takes with it.
const (
	ChangeOne   = "change_one"
	ChangeLater = "change_later" // those with higher ids
	ChangeAll   = "change_all"
)

// ChangeRequest is what a client asks to be changed about a message. What is nil or 0 stays.
type ChangeRequest struct {
	Topic    *string // as it was sent
	Channel  channel.ID
	Mode     string
	Content  *string
	PrevHash *string // SHA-256 in hex of the content that the client knows
}

// Plan is a change of a message that the rules of editing allow, as far as they can be judged by the message
// alone.
type Plan struct {
	Content  *string          // the new content, clean
	Topic    *string          // the new topic, clean
	Channel  *channel.Channel // where the message is; nil for direct messages
	Target   *channel.Channel // where it goes, if to another channel
	Mode     string
	Resolved bool // the topic is only marked as resolved, or unmarked
}

// Moves tells whether the message goes somewhere else.
func (p *Plan) Moves() bool { return p.Topic != nil || p.Target != nil }

// Into gives the channel that the message is in afterwards.
func (p *Plan) Into() *channel.Channel {
	if p.Target != nil {
		return p.Target
	}
	return p.Channel
}

// PlanChange checks what u, who may act upon m, asks for, in the documented order. What is left to check:
// mentions, the time limit of whole topics, and who may begin topics. Errors: BadRequest, Expectation, and MoveLimit
// with the plan, which Movable.Complete completes.
func PlanChange(v *directory.View, u *user.User, m *Message, in ChangeRequest, now time.Time) (*Plan, error) {
	p := &Plan{Mode: in.Mode}
	both := in.Content != nil && in.Channel != 0 // refused, whichever channel it is
	if id, isChannel := m.Recipient.Channel(); isChannel {
		p.Channel = v.Channel(id)
		if in.Channel == id {
			in.Channel = 0
		}
		if in.Topic != nil && topic.Meant(strings.TrimSpace(*in.Topic)) == m.Topic {
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
		} else if in.Content == nil && in.Channel == 0 { // once it is cut it is the one that there is
			return nil, errs.Bad("Nothing to change")
		}
	}
	if both {
		return nil, errs.Bad("Cannot change message content while changing channel")
	}
	if err := p.take(m, in); err != nil {
		return nil, err
	}
	return p, p.check(v, u, m, in, now)
}

// CheckEdit checks whether u, who may act upon m, may change its content now. Errors: BadRequest.
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

// take reads the new content.
func (p *Plan) take(m *Message, in ChangeRequest) error {
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

// check judges the move.
func (p *Plan) check(v *directory.View, u *user.User, m *Message, in ChangeRequest, now time.Time) error {
	if in.Channel != 0 {
		c := v.Channel(in.Channel)
		if !permission.Reads(v, c, u) || c.Archived {
			return errs.Bad("Invalid channel ID")
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
	case p.Topic != nil && !p.Resolved && !unhurried(u) && !inTime(settings.MoveMessagesWithinStreamLimit, m.SentAt, now,
		Grace):
		return errs.New(errs.MoveLimit, "The time limit for editing this message's topic has passed.")
	case p.Target == nil:
		return nil
	case !MayMoveOut(v, u, p.Channel):
		return errs.Bad("You don't have permission to move this message")
	}
	if err := CheckPost(v, u, p.Target); err != nil {
		return err
	}
	if !unhurried(u) && !inTime(settings.MoveMessagesBetweenStreamsLimit, m.SentAt, now, Grace) {
		return errs.New(errs.MoveLimit, "The time limit for editing this message's channel has passed")
	}
	return nil
}

// Movable tells of those messages of a topic that somebody can see how many they are, how many of them are not too old
// to be moved, and the id of the first of these, 0 if there is none.
type Movable struct {
	Total, Allowed int
	First          ID
}

// Add counts one more. Those with ids from since on are not too old; 0: all are.
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

// Whole tells whether u may move a whole topic only if CheckWhole does not refuse it.
func (p *Plan) Whole(u *user.User) bool { return p.Mode == ChangeAll && !p.Resolved && !unhurried(u) }

// CheckWhole refuses to move a whole topic of which some messages that the actor can see are too old to be moved.
// Errors: MoveLimit with three counters.
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

// Since gives when the oldest message was sent that may be moved as planned; false: there is no limit.
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

// Complete adds the three counters to a refusal with MoveLimit.
func (m Movable) Complete(refusal *errs.Error) error {
	var first any
	if m.First != 0 {
		first = m.First
	}
	return refusal.With("first_message_id_allowed_to_move", first).
		With("total_messages_in_topic", m.Total).
		With("total_messages_allowed_to_move", m.Allowed)
}
