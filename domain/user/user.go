// Package user describes the users and bots of a realm: identity, role and personal settings.
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

// Role is a user's role; lower numbers have more permissions.
type Role int

// The roles, with their wire values.
const (
	Owner     Role = 100
	Admin     Role = 200
	Moderator Role = 300
	Member    Role = 400
	Guest     Role = 600
)

// Valid reports whether r is one of the five roles.
func (r Role) Valid() bool {
	switch r {
	case Owner, Admin, Moderator, Member, Guest:
		return true
	}
	return false
}

// BotType is the type of a bot.
type BotType int

// The bot types; Human is not a bot.
const (
	Human           BotType = 0
	GenericBot      BotType = 1
	IncomingWebhook BotType = 2
	OutgoingWebhook BotType = 3
	EmbeddedBot     BotType = 4
)

// Service reports whether bots of the type are called when a message addresses them, instead of receiving the messages
// of channels.
func (t BotType) Service() bool { return t == OutgoingWebhook || t == EmbeddedBot }

// User is a user's record. It belongs to the shared facts, so it changes only by a directory.Change.
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
	Avatar        string    `json:"avatar,omitempty"` // path of the uploaded picture, from the server's root
	Keys          []KeyHash `json:"keys,omitempty"`   // hashes of the valid API keys
	Settings      Settings  `json:"settings"`
}

// KeyHash is the hex SHA-256 of an API key. Keys are random, so a fast hash suffices.
type KeyHash string

// IsBot reports whether u is a bot of any type.
func (u *User) IsBot() bool { return u.BotType != Human }

// IsAdmin reports whether u is an administrator or owner.
func (u *User) IsAdmin() bool { return u.Role <= Admin }

// IsGuest reports whether u is a guest.
func (u *User) IsGuest() bool { return u.Role == Guest }

// EmailKey returns the form in which email addresses are compared.
func EmailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// NameKey returns the form in which full names are compared.
func NameKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Actor is the caller of a request: the result of authentication, with the connection data that use cases may use.
type Actor struct {
	Realm   ids.Realm
	User    ID // 0: not logged in
	Role    Role
	Bot     BotType
	Key     KeyHash     // of the API key that authenticated the request; "": none
	System  bool        // the server itself, or the command line; has all permissions
	Session ids.Session // of the cookie that authenticated the request; 0: none
	Client  string      // client name, from the User-Agent
	Agent   string      // full User-Agent
	URL     string      // scheme and host by which the client reached the server, without a trailing slash
	From    string      // client's network address; for IPv6 the first half, which identifies the client's network
	Request string      // ID of the request
	Route   string      // method and pattern of the request's path
}
