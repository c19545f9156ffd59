package ports

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Sender sends messages. messages → scheduled, reports, webhooks, demo, command line. It is a port because it sends
// messages.
type Sender interface {
	// Send sends a message as the given user, with all checks and effects of POST /messages. The server's own messages
	// are sent as a system bot (directory.View.SystemActor), which can send to all unarchived channels. Inside Do the
	// message is part of the transaction. Errors: those of POST /messages.
	Send(ctx context.Context, as user.Actor, m message.Outgoing) (message.ID, error)
}

// Dispatch is one message for a Dispatcher to send.
type Dispatch struct {
	As      user.Actor
	Message message.Outgoing
	Ref     int64 // for the caller's own use
	Err     error // why the message was not sent: a refusal if it is an errs.Error; set by the Dispatcher or by take
}

// Dispatcher sends stored messages that have become due, each exactly once. messages → scheduled. It is a port because
// it sends messages.
type Dispatcher interface {
	// Check returns the content of a message as modules revise it (message.Revising), and its HTML, or the error that
	// sending it now would return. It sends nothing. Not inside Do. Errors: those of POST /messages.
	Check(ctx context.Context, as user.Actor, m message.Outgoing) (content, html string, err error)
	// Dispatch sends messages of one realm in order, many per transaction, each with all checks and effects of POST
	// /messages. A message that is refused has Err set and does not stop the others. Not inside Do.
	//
	// take runs in each of these transactions, under the realm's lock, with the messages that the transaction is about
	// to write: it deletes them from the caller's store, sets Err on those that are no longer there, and returns the
	// events to log before the messages. It may run again after a conflict. A message is therefore sent if and only if
	// take deleted it.
	//
	// Errors: those that concern no single message, such as Unavailable; messages not sent by then are still stored.
	Dispatch(
		ctx context.Context,
		r realm.ID,
		all []*Dispatch,
		take func(context.Context, []*Dispatch) ([]event.Event, error),
	) error
}

// Messages reads messages. messages → reports, uploads, push, scheduled. It is a port because its users cannot work
// without an answer: it decides who may read a message.
type Messages interface {
	// Visible returns the given messages in order of ID, without those that the actor cannot access.
	Visible(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.Visible, error)
	// Readable returns the IDs of the given messages that the actor can access, in ascending order. User 0 is a
	// spectator.
	Readable(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.ID, error)
	// Disclosures returns what each reader may be shown now of a message whose text was quoted earlier.
	Disclosures(ctx context.Context, r realm.ID, to []message.Reader) ([]message.Disclosure, error)
}

// MessageActions acts on messages as a user or a bot (directory.View.Actor), with the checks, limits, events and hooks
// of the API, except limits on the requests of a caller. Inside Do, an action is part of the transaction. A system bot
// acts on what any member can read. messages → modules outside of this repository. It is a port because it changes
// messages.
type MessageActions interface {
	// React adds a reaction with an emoji, given by its name. Errors: BadRequest, ReactionExists.
	React(ctx context.Context, as user.Actor, id message.ID, emoji string) error
	// Unreact removes a reaction. Errors: BadRequest, ReactionMissing.
	Unreact(ctx context.Context, as user.Actor, id message.ID, emoji string) error
	// Edit replaces the content. Errors: BadRequest, StreamWildcard, TopicWildcard.
	Edit(ctx context.Context, as user.Actor, id message.ID, content string) error
	// Move moves a message to another topic or channel. Errors: BadRequest, MoveLimit.
	Move(ctx context.Context, as user.Actor, id message.ID, to Move) error
	// Delete deletes a message. Errors: BadRequest.
	Delete(ctx context.Context, as user.Actor, id message.ID) error
	// Flag sets one of the user's flags, such as message.NameRead or message.NameStarred. Errors: BadRequest.
	Flag(ctx context.Context, as user.Actor, flag string, ids ...message.ID) error
	// Unflag removes one of the user's flags. Errors: BadRequest.
	Unflag(ctx context.Context, as user.Actor, flag string, ids ...message.ID) error
}

// Move says where a message is moved. Nil and zero fields stay unchanged.
type Move struct {
	Topic   *string
	Channel channel.ID
	Mode    string // message.ChangeLater or ChangeAll moves further messages of the topic; "": one message
	// Notices in the old and the new topic.
	NotifyOld, NotifyNew bool
}

// ReadStates marks messages as read when a user mutes another. messages → mutes. It is a port because it marks messages
// as read.
type ReadStates interface {
	// BeforeMute determines, from a recent view, which of the sender's messages the user may have unread. The returned
	// function marks them as read and returns the events to log. Call it inside Do, under the realm's lock, with the
	// current view; it may be called again after a conflict. BeforeMute itself: not inside Do.
	BeforeMute(ctx context.Context, v *directory.View, by user.Actor, sender user.ID) (
		func(context.Context, *directory.View) ([]event.Event, error), error)
	// BeforeUnmute stores the read state that follows from the user's mutes, so that messages of muted users stay read
	// afterwards. Each call handles a limited number of messages and reports whether none are left. Inside Do, under
	// the realm's lock.
	BeforeUnmute(ctx context.Context, v *directory.View, by user.Actor) (bool, error)
}

// Submessages attaches data to messages. messages → widgets. It is a port because it stores submessages.
type Submessages interface {
	// Attach adds a submessage to a message that the actor can access, and logs the event. The content has passed
	// message.CheckSubmessage. check runs in the transaction and returns which of the actor's own submessages, except
	// the message's first one, are replaced. Errors: BadRequest, the same for missing and inaccessible messages; those
	// of check.
	Attach(ctx context.Context, by user.Actor, id message.ID, msgType, content string,
		check func(Attaching) (replaced []message.Submessage, err error)) error
}

// Attaching describes a message to which a submessage is to be attached.
type Attaching struct {
	Message *message.Message
	First   *message.Submessage  // nil if there are none
	Own     []message.Submessage // by the actor, oldest first
}

// Rerenderer renders stored messages again. messages → previews, uploads. It is a port because it changes stored
// messages.
type Rerenderer interface {
	// Rerender renders the given messages again, ignoring deleted ones, and notifies the recipients of each message
	// whose HTML changed. Not inside Do. Errors: Unavailable if concurrent edits of a message kept interfering.
	Rerender(ctx context.Context, r realm.ID, ids ...message.ID) error
}
