package narrow

import (
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// maxDesc is the maximum number of bytes of the request that an error quotes.
const maxDesc = 300

// Bad returns the error for an invalid narrow.
func Bad(desc string) error {
	if len(desc) > maxDesc {
		desc = strings.ToValidUTF8(desc[:maxDesc], "")
	}
	return errs.New(errs.BadNarrow, "Invalid narrow operator: %s", desc).With("desc", desc)
}

// badCombination returns the error for terms that exclude each other.
func badCombination(desc string) error {
	return errs.New(errs.BadNarrow, "Invalid narrow operator combination: %s", desc).With("desc", desc)
}

// Resolve looks up the users, channels and messages of terms. A with term must have been replaced (see CutWith).
// Resolving a term grants no access: searches never return messages that the reader cannot access. Channels hidden from
// the reader count as unknown. Errors: BadNarrow, BadRequest.
func Resolve(v *directory.View, reader *user.User, terms []Term) (Narrow, error) {
	var n Narrow
	topics := 0
	for _, t := range terms {
		c, err := resolve(v, reader, t)
		if err != nil {
			return Narrow{}, err
		}
		if c.Op == InTopic {
			if topics++; topics == 1 {
				c.Text = topic.Canonical(c.Text) // only in the first topic term, as existing clients expect
			}
			c.Text = topic.Key(c.Text)
		}
		if c.Op != 0 { // near and in:all match everything
			c.Negated = c.Negated != t.Negated
			n.Conditions = append(n.Conditions, c)
		}
	}
	if err := n.check(); err != nil {
		return Narrow{}, err
	}
	n.History = n.history(v, reader)
	return n, nil
}

func resolve(v *directory.View, reader *user.User, t Term) (Condition, error) {
	switch t.Operator {
	case "channel":
		return t.channel(v, reader)
	case "dm":
		return t.participants(v, reader)
	case "dm-including":
		return t.person(v, reader, Including)
	case "group-pm-with":
		return t.person(v, reader, GroupWith)
	case "sender":
		return t.person(v, reader, Sender)
	case "mentions":
		return t.person(v, reader, MentionsOf)
	case "id":
		id, ok, err := t.messageID()
		if err == nil && !ok {
			err = Bad("Invalid message ID")
		}
		return Condition{Op: TheMessage, ID: id}, err
	case "near":
		return Condition{}, nil
	case "with":
		return Condition{}, Bad("Invalid 'with' operator")
	}
	word, err := t.Text()
	switch t.Operator {
	case "topic":
		return Condition{Op: InTopic, Text: word}, err
	case "search":
		if err == nil && strings.TrimSpace(word) == "" {
			err = errs.Bad("operand cannot be blank.")
		}
		return Condition{Op: Search, Text: word}, err
	}
	words, known := vocabulary(t.Operator)
	if !known {
		return Condition{}, Bad("unknown operator " + t.Operator)
	}
	if err != nil {
		return Condition{}, err
	}
	c, ok := words[word]
	if !ok {
		return Condition{}, Bad(unknownWord(t.Operator) + word)
	}
	return c, nil
}

func vocabulary(operator string) (map[string]Condition, bool) {
	switch operator {
	case "is":
		return map[string]Condition{
			"dm":        {Op: Direct},
			"private":   {Op: Direct},
			"starred":   {Op: Starred},
			"unread":    {Op: Unread},
			"mentioned": {Op: Mentioned},
			"alerted":   {Op: Alerted},
			"resolved":  {Op: Resolved},
			"followed":  {Op: Followed},
			"muted":     {Op: Muted},
		}, true
	case "has":
		return map[string]Condition{
			"attachment": {Op: Attachment},
			"image":      {Op: Image},
			"link":       {Op: Link},
			"reaction":   {Op: Reaction},
		}, true
	case "in":
		return map[string]Condition{"home": {Op: Home}, "all": {}}, true
	case "channels":
		return map[string]Condition{
			"public":     {Op: PublicChannels},
			"web-public": {Op: WebChannels},
			"archived":   {Op: Archived},
		}, true
	}
	return nil, false
}

func unknownWord(operator string) string {
	if operator == "channels" {
		return "unknown channels operand "
	}
	return "unknown '" + operator + "' operand "
}

func (t Term) channel(v *directory.View, reader *user.User) (Condition, error) {
	id, name, isName, err := t.idOrText()
	if err != nil {
		return Condition{}, err
	}
	c := v.Channel(channel.ID(id))
	if isName {
		c = v.ChannelByName(name)
	}
	if !permission.SeesChannel(v, c, reader) { // or does not exist
		return Condition{}, Bad("unknown channel " + operandText(id, name, isName))
	}
	return Condition{Op: InChannel, Channel: c.ID}, nil
}

func (t Term) person(v *directory.View, reader *user.User, op Op) (Condition, error) {
	id, email, isEmail, err := t.idOrText()
	if err != nil {
		return Condition{}, err
	}
	u := v.User(user.ID(id))
	if isEmail {
		u = permission.ByEmail(v, reader, email)
	}
	if u == nil {
		return Condition{}, Bad("unknown user " + operandText(id, email, isEmail))
	}
	if op == Including && u.ID == reader.ID {
		return Condition{Op: Mine}, nil
	}
	return Condition{Op: op, User: u.ID}, nil
}

func (t Term) participants(v *directory.View, reader *user.User) (Condition, error) {
	ids, emails, err := t.idsOrEmails()
	if err != nil {
		return Condition{}, err
	}
	if len(ids)+len(emails) == 0 {
		return Condition{Op: Exactly}, nil // matches nothing
	}
	if len(ids)+len(emails) > message.MaxRecipients+1 {
		return Condition{}, errs.Bad("Too many users in the operand of dm")
	}
	all := user.Set{reader.ID}
	for _, id := range ids {
		if v.User(user.ID(id)) == nil {
			return Condition{}, Bad("unknown user in " + string(t.Operand))
		}
		all = all.Union(user.Set{user.ID(id)})
	}
	for _, e := range emails {
		u := permission.ByEmail(v, reader, e)
		if u == nil {
			return Condition{}, Bad("unknown user in " + strings.Join(emails, ","))
		}
		all = all.Union(user.Set{u.ID})
	}
	return Condition{Op: Exactly, Users: all}, nil
}

// messageID returns the operand as a message ID, given as a number or in digits; false if no message can have it.
func (t Term) messageID() (message.ID, bool, error) {
	id, digits, isText, err := t.idOrText()
	if isText {
		n, bad := strconv.ParseInt(digits, 10, 64)
		if id = n; bad != nil {
			id = -1 // matches no message
		}
	}
	return message.ID(id), id >= 0 && id <= maxID, err
}

// maxID is not below any message ID, since some clients store IDs in 32 bits.
const maxID = 1<<31 - 1

func operandText(id int64, s string, isText bool) string {
	if isText {
		return s
	}
	return strconv.FormatInt(id, 10)
}

// check refuses narrows that no message can match: a channel and a direct conversation together. It ignores negated
// terms.
func (n Narrow) check() error {
	var inChannel, direct bool
	for _, c := range n.Conditions {
		switch c.Op {
		case InChannel, PublicChannels, WebChannels, Archived, InTopic:
			inChannel = inChannel || !c.Negated
		case Direct:
			direct = direct || !c.Negated
			inChannel = inChannel || c.Negated
		case Exactly, Mine, Including, GroupWith:
			direct = direct || !c.Negated
		}
	}
	if inChannel && direct {
		return badCombination("No message can be both a channel message and direct message")
	}
	return nil
}

// history returns the value of Narrow.History.
func (n Narrow) history(v *directory.View, reader *user.User) bool {
	over := false
	for _, c := range n.Conditions {
		switch c.Op {
		case Starred, Unread, Mentioned, Alerted, Followed, Muted, Direct:
			return false
		case InChannel:
			if !c.Negated {
				over = permission.ReadsAll(v, v.Channel(c.Channel), reader)
			}
		case PublicChannels, WebChannels:
			over = over || !c.Negated && (!reader.IsGuest() || reader.ID == 0) // spectators receive no messages
		}
	}
	return over
}

// Channels returns the channels whose whole history a narrow with History searches: those that satisfy its conditions
// and whose whole history the reader can read.
func (n Narrow) Channels(v *directory.View, reader *user.User) channel.Set {
	var all []channel.ID
	named, one := n.Find(InChannel)
	for c := range v.Channels() {
		if one && c.ID != named.Channel {
			continue
		}
		if permission.ReadsAll(v, c, reader) && n.In(v, message.OfChannel(c.ID), nil) {
			all = append(all, c.ID)
		}
	}
	return idset.Of(all...)
}
