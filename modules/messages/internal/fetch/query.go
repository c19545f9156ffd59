// Package fetch finds messages. It compiles a narrow to a list of conversations that the reader can see, a predicate,
// and a source of candidates, which determines the index to search. It first finds IDs and then reads the rows by ID.
package fetch

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/narrow"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/readstate"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/access"
	"github.com/stoachat/stoa/modules/messages/internal/flags"
	"github.com/stoachat/stoa/modules/messages/internal/inbox"
	states "github.com/stoachat/stoa/modules/messages/internal/readstate"
	"github.com/stoachat/stoa/modules/messages/internal/render"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Service finds messages.
type Service struct {
	Store     *store.Store
	Inbox     *inbox.Store
	Flags     *flags.Store
	States    *states.Service
	Access    *access.Service
	Directory ports.Directory
	Realms    ports.Realms
	Renderer  ports.Renderer
	Rows      *render.Rows
	Muted     kit.QueryAll[readstate.MutedPlaces, readstate.Muting]

	Collected *kit.Collected

	ZulipNames kit.Query[realm.KnowsOnlyZulipNames, bool]
}

// reader is the user who reads messages, and the view to evaluate permissions on.
type reader struct {
	v  *directory.View
	u  *user.User
	by user.Actor
}

// spectates reports whether the reader is not logged in.
func (r reader) spectates() bool { return r.u.ID == 0 }

// errorFor returns err or, for spectators, an error that asks them to log in.
func (r reader) errorFor(err error) error {
	if r.spectates() {
		return errs.NotLoggedIn()
	}
	return err
}

func (s *Service) reader(ctx context.Context, a user.Actor) (reader, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return reader{}, err
	}
	if a.User == 0 { // spectators have the access of a guest without subscriptions
		return reader{v, &user.User{Role: user.Guest, Active: true}, a}, nil
	}
	u, err := permission.Caller(v, a)
	return reader{v, u, a}, err
}

// query is a compiled narrow for one reader.
type query struct {
	s *Service
	reader
	narrow     narrow.Narrow
	operated   []operated
	inbox      *readstate.Inbox           // the reader's inbox, to filter own messages; nil: search whole histories
	recipients []message.Recipient        // conversations to search; flagged messages may be elsewhere
	covered    map[message.Recipient]bool // results of covers
	filter     store.Filter
	source     candidates
	search     searching
	muting     *readstate.Muting           // see muted
	skip       func(*message.Message) bool // excludes messages although they match the narrow; may be nil
}

// query compiles a narrow. Errors: BadNarrow, BadRequest.
func (s *Service) query(ctx context.Context, r reader, terms []narrow.Term) (*query, error) {
	terms, err := s.resolveWith(ctx, r, terms)
	if err != nil {
		return nil, err
	}
	q := &query{s: s, reader: r, covered: map[message.Recipient]bool{}}
	if terms, err = q.readOperators(ctx, terms); err != nil {
		return nil, err
	}
	if q.narrow, err = narrow.Resolve(r.v, r.u, terms); err != nil {
		if errs.Is(err, errs.BadNarrow) {
			err = r.errorFor(err)
		}
		return nil, err
	}
	if q.narrow.History {
		for _, c := range q.narrow.Channels(r.v, r.u) {
			q.recipients = append(q.recipients, message.OfChannel(c))
		}
	} else if err := q.ownRecipients(ctx); err != nil {
		return nil, err
	}
	if err := q.dropByMuting(ctx); err != nil {
		return nil, err
	}
	if err := q.requireFollowed(ctx); err != nil {
		return nil, err
	}
	for _, p := range q.recipients {
		q.covered[p] = true
	}
	q.filter = filterOf(q.narrow)
	if err := q.bySender(ctx); err != nil {
		return nil, err
	}
	if err := q.readSearch(ctx); err != nil {
		return nil, err
	}
	q.source, err = q.chooseSource(ctx)
	return q, err
}

// bySender drops the other conditions from the filter if the query searches a single conversation in which the sender
// has few messages. The predicate still checks these conditions.
func (q *query) bySender(ctx context.Context) error {
	f := &q.filter
	if f.Sender == 0 || f.Topic == nil && f.Facts == 0 || len(q.recipients) != 1 {
		return nil
	}
	few, err := q.s.Store.HasFew(ctx, q.recipients[0], f.Sender)
	if few {
		f.Topic, f.Facts = nil, 0
	}
	return err
}

// resolveWith replaces a term with the operator "with" by terms for the conversation of the message that it names.
func (s *Service) resolveWith(ctx context.Context, r reader, terms []narrow.Term) ([]narrow.Term, error) {
	id, rest, err := narrow.CutWith(terms)
	if err != nil || id == 0 {
		return rest, err
	}
	found, err := s.Access.Visible(ctx, r.v, r.u, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return rest, narrow.CheckConversation(rest)
	}
	m := found[0].Message
	if c, isChannel := m.Recipient.Channel(); isChannel {
		return narrow.SetConversation(rest, narrow.Conversation{Channel: c, Topic: m.Topic}), nil
	}
	return narrow.SetConversation(rest, narrow.Conversation{Members: found[0].Members}), nil
}

// ownRecipients collects the conversations of the reader's own messages: direct conversations, and readable channels
// that the reader is or was subscribed to.
func (q *query) ownRecipients(ctx context.Context) error {
	box, err := q.s.States.Inbox(ctx, q.u.ID)
	if err != nil {
		return err
	}
	q.inbox = &box
	var last message.Recipient = -1
	for _, p := range box.Periods {
		if p.Recipient != last && q.readsChannel(p.Recipient) {
			q.recipients = append(q.recipients, p.Recipient)
		}
		last = p.Recipient
	}
	direct, err := q.direct(ctx)
	q.recipients = append(q.recipients, direct...)
	return err
}

// direct returns the direct conversations that the narrow allows.
func (q *query) direct(ctx context.Context) ([]message.Recipient, error) {
	if c, ok := q.narrow.Find(narrow.Exactly); ok {
		r, err := q.s.Store.Conversations.Find(ctx, q.v.Realm().ID, c.Users)
		if err != nil || r == 0 || len(c.Users) == 0 || !q.narrow.In(q.v, r, c.Users) {
			return nil, err
		}
		return []message.Recipient{r}, nil
	}
	all := q.inbox.Direct
	if !q.narrow.ByMembers() {
		if q.narrow.In(q.v, message.OfDirect(0), nil) {
			return all, nil
		}
		return nil, nil
	}
	members, err := q.s.Store.Conversations.Members(ctx, all)
	if err != nil {
		return nil, err
	}
	var in []message.Recipient
	for _, r := range all {
		if q.narrow.In(q.v, r, members[r]) {
			in = append(in, r)
		}
	}
	return in, nil
}

// readsChannel reports whether the narrow allows a channel and the reader can read at least some of its messages.
func (q *query) readsChannel(r message.Recipient) bool {
	return message.AccessTo(q.v, r, q.u) != message.NoAccess && q.narrow.In(q.v, r, nil)
}

// covers reports whether the query searches a conversation.
func (q *query) covers(r message.Recipient) bool {
	covered, known := q.covered[r]
	if !known {
		if _, isChannel := r.Channel(); isChannel && q.inbox != nil {
			covered = q.readsChannel(r) // the reader has no period there, but may have a touched message
		}
		q.covered[r] = covered
	}
	return covered
}

// filterOf returns the conditions of a narrow that SQL can check. The predicate checks them again.
func filterOf(n narrow.Narrow) store.Filter {
	var f store.Filter
	for _, c := range n.Conditions {
		if c.Negated {
			continue
		}
		switch c.Op {
		case narrow.InTopic:
			f.Topic = &c.Text
		case narrow.Sender:
			f.Sender = c.User
		case narrow.Resolved:
			f.Resolved = true
		case narrow.Link:
			f.Facts |= message.HasLink
		case narrow.Image:
			f.Facts |= message.HasImage
		case narrow.Attachment:
			f.Facts |= message.HasAttachment
		}
	}
	return f
}
