package message

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Sent is a hook event. It runs in the commit, under the realm's lock, once for all messages that are committed
// together. An error fails all of them, so hooks must not refuse. Use few statements.
type Sent struct {
	Realm       realm.ID
	Messages    []Message       // in ascending order of ID
	Mentioned   map[ID]user.Set // readers mentioned by name or through a group
	Pages       map[ID][]string // links that could have previews (markdown.Output)
	Calls       map[ID]user.Set // bots to be called, if any (Calls)
	Attachments map[ID][]string // path IDs of the files that a message refers to, if its sender is allowed to use them
}

// Edited is a hook event. It runs in the transaction of an edit, a move or both, under the realm's lock, after the log
// entries. An error rolls the edit back.
type Edited struct {
	Realm  realm.ID
	By     user.Actor
	Before Message  // the edited message before the change
	After  Message  // the message after the change; without a move only its content differs
	Pages  []string // links in the new content that could have previews (markdown.Output)
	// Attachments are the path IDs of the files to which the new content refers. Undefined if the content is unchanged.
	Attachments []string
	// Calls are the service bots that the new content of a channel message mentions by name and the old content did not.
	Calls user.Set
	// Fields of a move. Moved is nil without one.
	Moved    []ID     // ascending, After.ID among them
	Senders  user.Set // the senders of Moved
	From, To TopicRef
	Whole    bool     // nothing that the actor can see remains in From
	Fresh    bool     // To had no messages before
	Lost     user.Set // users who can no longer read the messages
	Readers  user.Set // protected history: subscribers who received any of Moved; nil: all who can read the channel
	// Had returns which of the given deactivated users received any of the messages. It is set if Readers is.
	Had func(ctx context.Context, us user.Set) (user.Set, error)
}

// Imported is a hook event. It runs in the commit, under the realm's lock, with messages of an import. An error fails
// all of them. Nobody is notified of these messages.
type Imported struct {
	Realm       realm.ID
	Attachments map[ID][]string // path IDs of the files that a message refers to
}

// Missed is a hook event. It runs for a module that returns after it was left out, and for no other, with the messages
// that were sent or edited meanwhile, a limited number at once. It does not run in a transaction. Messages may have
// changed again since they were read.
type Missed struct {
	Realm    realm.ID
	Messages []ChangedMessage // ascending
}

// Deleted is a hook event. It runs in the transaction that deletes messages, under the realm's lock, before they are
// deleted. An error rolls the deletion back.
type Deleted struct {
	Realm    realm.ID
	By       user.Actor
	Messages []Message // ascending; of any conversations
}

// Emptied is a hook event. It runs in the transaction that deletes the last messages of a topic as part of deleting the
// topic, under the realm's lock, after the log entries. It also runs if the topic had no messages. An error rolls the
// deletion back.
type Emptied struct {
	Realm   realm.ID
	By      user.Actor
	Channel channel.ID
	Key     string // of the topic
}

// Reacted is a hook event. It runs in the commit, under the realm's lock, once for all reactions that are added
// together. An error fails all of them, so hooks must not refuse. Use few statements.
type Reacted struct {
	Realm     realm.ID
	Reactions []Reaction
	Messages  map[ID]Message // without their contents
}

// Participated is a hook event. It runs in the commit of a submessage, under the realm's lock. An error rolls the
// submessage back.
type Participated struct {
	Realm   realm.ID
	By      user.ID
	Message Message // without its content
}

// Read is a hook event. It runs in the commit in which users mark messages as read, under the realm's lock, once for
// all users. An error fails the marks. Use few statements.
type Read struct {
	Realm realm.ID
	Users user.Set
}
