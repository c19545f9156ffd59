// Package audit describes the audit log of an organization: who changed what, and when. What belongs to the shared
// facts is derived from their changes; modules state the rest as a Fact.
package audit

import (
	"strconv"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// Fact is something that the audit log records.
type Fact struct {
	Realm    ids.Realm
	Action   Action
	Target   Target
	Old, New Values      // what has changed; nil if there is nothing to say
	By       *user.Actor // who did it; nil: the caller of the transaction, or the server
	Refused  bool        // the action was attempted
}

// Values are values by name. They never contain the content of messages; secrets are represented by Secret.
type Values = map[string]any

// Secret takes the place of a secret value.
const Secret = "…"

// Target is the object of an action.
type Target struct {
	Kind Kind
	ID   string
}

// Kind is a kind of target.
type Kind string

// The kinds of targets.
const (
	Realm        Kind = "realm"
	User         Kind = "user" // or a bot
	Channel      Kind = "channel"
	Folder       Kind = "channel_folder"
	Bundle       Kind = "default_channel_group"
	Group        Kind = "group"
	Invitation   Kind = "invitation"
	Session      Kind = "session"
	Emoji        Kind = "emoji"
	Linkifier    Kind = "linkifier"
	ProfileField Kind = "profile_field"
	Playground   Kind = "playground"
	Export       Kind = "export"
	Import       Kind = "import"
	Message      Kind = "message"
	Backup       Kind = "backup"
	Module       Kind = "module"
	ScimToken    Kind = "scim_token"
	Server       Kind = "server"
)

// To returns the target with a numeric ID.
func To[ID ~int64](k Kind, id ID) Target { return Target{k, strconv.FormatInt(int64(id), 10)} }

// Committing is a hook event that runs once in each transaction that changes shared facts or states facts, as its last
// step. Handlers must not append to the log. An error fails the change.
type Committing struct {
	By      user.Actor      // the caller; the zero Actor if the server acts on its own behalf
	View    *directory.View // with all changes; nil if Changes is empty
	Realm   ids.Realm       // of the changes
	Changes []directory.Change
	Facts   []Fact
}

// Personal reports whether a value is personal data of the target, or of whoever acted.
func Personal(name string) bool {
	switch name {
	case "full_name", "delivery_email", "email", "emails", "agent", "subject":
		return true
	}
	return false
}
