// Package user is a person or a bot of a realm: who they are, what role they have, and what they have set for
// themselves.
package user

import (
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/idset"
)

// ID identifies a user on this server.
type ID int64

// Set is a set of users.
type Set = idset.Set[ID]

// Role is a user's rank; a smaller number may do more.
type Role int

// The roles, with the numbers of the wire.
const (
	Owner     Role = 100
	Admin     Role = 200
	Moderator Role = 300
	Member    Role = 400
	Guest     Role = 600
)

// Valid tells whether r is one of the five roles.
func (r Role) Valid() bool {
	switch r {
	case Owner, Admin, Moderator, Member, Guest:
		return true
	}
	return false
}

// BotType says what kind of bot a user is.
type BotType int

// The kinds of bots; Human is not one.
const (
	Human           BotType = 0
	GenericBot      BotType = 1
	IncomingWebhook BotType = 2
	OutgoingWebhook BotType = 3
	EmbeddedBot     BotType = 4
)

// Service tells whether such bots are called when they are spoken to, and do not read along: they have no rows of what
// is sent to channels.
func (t BotType) Service() bool { return t == OutgoingWebhook || t == EmbeddedBot }

// User is what everybody's decisions may depend on. It is a shared fact: a change of it is a directory.Change.
type User struct {
	ID            ID        `json:"id"`
	DeliveryEmail string    `json:"delivery_email"` // the real address
	FullName      string    `json:"full_name"`
	Role          Role      `json:"role"`
	Active        bool      `json:"active"`
	BotType       BotType   `json:"bot_type,omitempty"`
	BotOwner      ID        `json:"bot_owner,omitempty"` // 0: none
	System        bool      `json:"system,omitempty"`    // one of the server's own bots (notification bot, ...)
	Joined        time.Time `json:"joined"`
	AvatarSource  string    `json:"avatar_source"` // "G" computed, "U" uploaded, "J" generated
	AvatarVersion int       `json:"avatar_version"`
	Avatar        string    `json:"avatar,omitempty"` // address of the uploaded picture, from the server's root
	Keys          []KeyHash `json:"keys,omitempty"`   // API keys that are valid now, hashed
	Settings      Settings  `json:"settings"`
}

// KeyHash is the SHA-256 of an API key in hex. Keys are random, so no slow hash is needed.
type KeyHash string

// IsBot tells whether u is a bot of any kind.
func (u *User) IsBot() bool { return u.BotType != Human }

// IsAdmin tells whether u is at least an administrator.
func (u *User) IsAdmin() bool { return u.Role <= Admin }

// IsGuest tells whether u is a guest.
func (u *User) IsGuest() bool { return u.Role == Guest }

// EmailKey is what e-mail addresses are compared by.
func EmailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// NameKey is what full names are compared by.
func NameKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Actor is who makes a request: the result of authentication, and all that a use case may know of the connection.
type Actor struct {
	Realm   ids.Realm
	User    ID // 0: nobody has logged in
	Role    Role
	Bot     BotType
	Key     KeyHash     // of the API key that the request came with; "": it came with none
	System  bool        // the server itself, or the command line: may do everything
	Session ids.Session // by whose cookie the request was let in; 0: it came with no cookie
	Client  string      // client name, from the User-Agent
	Agent   string      // the whole User-Agent
	URL     string      // how the client reached the server: scheme and host, no trailing slash
	From    string      // the client's address in the network; of IPv6 the first half, which tells clients apart
}
