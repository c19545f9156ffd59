package message

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Sending is a moment: it runs before a message is rendered and checked, outside of any transaction. Hooks may change
// what is sent, or refuse it with an error, which the sender is answered.
type Sending struct {
	By      user.Actor
	Message *Outgoing
}

// Sent is a moment: it runs in the commit, under the realm's lock, once for all messages that are committed together.
// It must not refuse: an error fails all of them. Use few statements.
type Sent struct {
	Realm       realm.ID
	Messages    []Message       // ids rise
	Mentioned   map[ID]user.Set // those of its readers whom a message mentions by name or through a group
	Raises      map[ID]bool     // of those that the senders wrote: Outgoing.Raises
	Pages       map[ID][]string // targets of links to pages that could be shown (markdown.Output)
	Calls       map[ID]user.Set // the bots that are to be called about a message, of those that any is (Calls)
	Attachments map[ID][]string // path IDs of the files that a message refers to and its sender may use
	// Policies is filled by hooks: the policy that a message has given its topic for its sender.
	Policies map[ID]topic.Visibility
}

// Uploads is a hook event: it asks, while a message is rendered, which of the files that its text names its sender may
// use, and what they are. It runs outside of any transaction or inside one; an error fails the rendering.
type Uploads struct {
	Realm   realm.ID
	Sender  user.ID
	Message ID                         // rendered again: what it refers to already may stay; 0: it is new
	Paths   []string                   // path IDs, each once
	Known   map[string]markdown.Upload // filled by hooks
}

// Edited is a moment: it runs in the unit of work of an edit, a move or both, under the realm's lock, after the entries
// that tell of it. An error rolls the edit back.
type Edited struct {
	Realm  realm.ID
	By     user.Actor
	Before Message  // the message that was named, as it was
	After  Message  // and as it is; only its content differs if nothing was moved
	Pages  []string // targets of links to pages that the new content could show (markdown.Output)
	// Attachments are the path IDs of the files that the new content refers to; of no meaning if the content stays.
	Attachments []string
	// Calls are the service bots that the new content of a channel message mentions by name and the old content did not.
	Calls user.Set
	// Of a move; Moved is nil without one.
	Moved    []ID // ascending, After.ID among them
	From, To Place
	Whole    bool     // nothing that the actor can see is left in From
	Fresh    bool     // To had no messages before
	Lost     user.Set // who could read the messages before, and can't now
	Readers  user.Set // in protected history, which subscribers had any of the messages; nil: whoever may read the channel
	// Had tells with Readers which of some others had any of the messages: of those who are deactivated.
	Had func(ctx context.Context, us user.Set) (user.Set, error)
	// Detached is filled by hooks: files of the actor that no message refers to any more.
	Detached []Attachment
}

// Deleted is a moment: it runs in the unit of work that deletes messages, under the realm's lock, before they are gone.
// An error rolls the deletion back.
type Deleted struct {
	Realm    realm.ID
	By       user.Actor
	Messages []Message // ascending; of any conversations
}

// Emptied is a moment: it runs in the unit of work that deletes the last messages of a topic because the whole topic
// was to be deleted, under the realm's lock, after the entries that tell of it; also when there were none. An error
// rolls the deletion back.
type Emptied struct {
	Realm   realm.ID
	By      user.Actor
	Channel channel.ID
	Key     string // of the topic
}

// Reacted is a moment: it runs in the commit, under the realm's lock, once for all reactions that are added together.
// It must not refuse: an error fails all of them. Use few statements.
type Reacted struct {
	Realm     realm.ID
	Reactions []Reaction
	Messages  map[ID]Message // heads of the messages
}

// Participated is a hook event. It runs in the commit of a submessage, under the realm's lock. An error rolls the
// submessage back.
type Participated struct {
	Realm   realm.ID
	By      user.ID
	Message Message // head of the message
}

// Read is a hook event. It runs in the commit in which people mark messages as read, under the realm's lock, once for
// all of them. An error fails the marks. Use few statements.
type Read struct {
	Realm realm.ID
	Users user.Set
}
