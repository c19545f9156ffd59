package importing

import (
	"encoding/json"
	"time"

	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// Key identifies a record among those of its kind in the source.
type Key string

// Kind is a kind of records. Its name is stored with keys and shown in reports.
type Kind string

// The kinds of records.
const (
	Realms        Kind = "organization"
	People        Kind = "people"
	Groups        Kind = "groups"
	Channels      Kind = "channels"
	Subscriptions Kind = "subscriptions"
	Policies      Kind = "topic policies"
	Emojis        Kind = "custom emoji"
	Avatars       Kind = "avatars"
	Fields        Kind = "profile fields"
	Values        Kind = "profile values"
	Files         Kind = "files"
	Messages      Kind = "messages"
	Reactions     Kind = "reactions"
	States        Kind = "flags"
	Others        Kind = "other records"
)

// Directory is everything but messages and files.
type Directory struct {
	Realm         Realm
	People        []Person
	Groups        []Group
	Channels      []Channel
	Subscriptions []Subscription
	Received      []Received
	Policies      []TopicPolicy
	Emoji         []Emoji
	Avatars       []Avatar // of people in Rows
	Fields        []Field
	Rows          []Row
}

// Realm is the organization. Empty fields have no counterpart in the source.
type Realm struct {
	Name        string
	Description string
	Created     time.Time
	Announce    Key             // the channel for announcements
	Settings    json.RawMessage // an object with settings by the names of GET /register; references are keys
}

// Person is an account of a person or a bot.
type Person struct {
	Key       Key
	Email     string // "": unknown
	Name      string
	Role      user.Role // 0: a member
	Inactive  bool
	Bot       user.BotType // user.Human: a person
	Owner     Key          // of a bot
	Joined    time.Time    // zero: at the first message
	Avatar    *File
	Fields    map[Key]string // values of profile fields, by the field
	Status    string
	StatusFor string          // Unicode emoji name of the status
	Words     []string        // alert words
	Settings  json.RawMessage // an object with settings by the names of the API
	System    string          // user.NotificationBot or another bot of the server, which exists already
	// Identities are accounts at identity providers, with which the person logs in if they are configured here.
	Identities []Identity
	Loss       *Loss
}

// Identity is an account at an identity provider.
type Identity struct {
	Provider string // the name of the method, such as "ldap"
	Subject  string // the provider's ID of the account
}

// Group is a user group.
type Group struct {
	Key         Key
	Name        string
	Description string
	Creator     Key
	Created     time.Time
	Members     []Key
	Subgroups   []Key
	Inactive    bool
	Loss        *Loss
}

// Channel is a channel.
type Channel struct {
	Key         Key
	Name        string
	Description string
	Creator     Key
	Created     time.Time // zero: at its first message
	Private     bool
	WebPublic   bool
	// Protected: new subscribers of a private channel cannot read older messages.
	Protected bool
	Archived  bool
	Default   bool // new members are subscribed to it
	Loss      *Loss
}

// Subscription is a person's subscription to a channel.
type Subscription struct {
	Person, Channel Key
	Former          bool // it has ended
	Muted, Pinned   bool
	Color           string // "": one is chosen
	// Periods, oldest first, are when messages were sent that the person may read in a channel that is Protected.
	Periods []Period
	Loss    *Loss
}

// Period is a time from From to before To, or if To is zero, without an end.
type Period struct{ From, To time.Time }

// TopicPolicy is a person's policy for a topic.
type TopicPolicy struct {
	Person, Channel Key
	Topic           string
	Policy          topic.Visibility
	At              time.Time
}

// Avatar is the picture of a person.
type Avatar struct {
	Person Key
	Image  *File
}

// Emoji is a custom emoji.
type Emoji struct {
	Key      Key
	Name     string
	Author   Key
	Image    *File
	Inactive bool
	Loss     *Loss
}

// Field is a custom profile field. Values are text in the form of its type.
type Field struct {
	Key        Key
	Type       int // as in the API; 1: short text
	Name, Hint string
	Data       json.RawMessage
}

// File is a file in the archive, or at a URL that the source downloads.
type File struct {
	Key     Key // of an uploaded file; "" for images
	Owner   Key
	Name    string
	Type    string // the media type that the source claims; "": it follows from the name
	Created time.Time
	Path    string // for Source.Open
	Loss    *Loss
}

// Row is a line of a table of a module, from an export of Stoa itself.
type Row struct {
	Table string
	Line  json.RawMessage
}

// Message is a message. Content is Markdown with references.
type Message struct {
	Key       Key       `json:"k"`
	Channel   Key       `json:"c,omitempty"` // "": a direct message
	People    []Key     `json:"p,omitempty"` // all participants of a direct message
	Topic     string    `json:"t,omitempty"`
	Sender    Key       `json:"s"`
	SenderIs  string    `json:"n,omitempty"` // the sender's name, if the sender may be in no list
	Sent      time.Time `json:"at"`
	Sequence  int64     `json:"q,omitempty"` // orders messages of a conversation with equal times
	Content   string    `json:"m,omitempty"`
	Client    string    `json:"cl,omitempty"`
	Edited    time.Time `json:"ed,omitzero"`
	Moved     time.Time `json:"mv,omitzero"`
	Edits     []Edit    `json:"e,omitempty"` // oldest first
	Reactions []Emote   `json:"r,omitempty"`
	Widgets   []Widget  `json:"w,omitempty"`
	Starred   []Key     `json:"st,omitempty"` // people who have starred it
	Unread    []Key     `json:"u,omitempty"`  // people who have not read it; everybody else has
	Loss      *Loss     `json:"l,omitempty"`
	Part      bool      `json:"pt,omitempty"` // continues a message that was too long; set by the import
}

// Edit is a change of a message. Fields for what did not change are nil or "".
type Edit struct {
	By          Key       `json:"by,omitempty"`
	At          time.Time `json:"at"`
	PrevContent *string   `json:"m,omitempty"`
	PrevTopic   *string   `json:"t,omitempty"`
	Topic       *string   `json:"nt,omitempty"`
	PrevChannel Key       `json:"c,omitempty"`
	Channel     Key       `json:"nc,omitempty"`
}

// Emote is a reaction. It has the code of a Unicode emoji, or the key of a custom one, or neither: then its name
// decides.
type Emote struct {
	By     Key    `json:"by"`
	Name   string `json:"n"`
	Code   string `json:"c,omitempty"`
	Custom Key    `json:"k,omitempty"`
}

// Widget is a submessage, such as a poll or a vote in it.
type Widget struct {
	By      Key    `json:"by"`
	Type    string `json:"t"`
	Content string `json:"m"`
}

// State is a person's state of a message. Messages are read unless a State says otherwise.
type State struct {
	Person    Key  `json:"p"`
	Message   Key  `json:"m"`
	Starred   bool `json:"s,omitempty"`
	Collapsed bool `json:"c,omitempty"`
	Unread    bool `json:"u,omitempty"`
}
