// Package channel defines channels (also called streams) and subscriptions.
package channel

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/user"
)

// Invalid returns the error for channels that do not exist or are hidden from the caller.
func Invalid() error { return errs.Bad("Invalid channel ID") }

// ID identifies a channel on this server.
type ID = ids.Channel

// Set is a set of channels.
type Set = idset.Set[ID]

// Channel is a channel's record. It belongs to the shared facts, so it changes only by a directory.Change.
type Channel struct {
	ID            ID        `json:"id"`
	Name          string    `json:"name"`
	Description   string    `json:"description"`
	Rendered      string    `json:"rendered"` // the description as HTML
	Created       time.Time `json:"created"`
	Creator       user.ID   `json:"creator,omitempty"`
	Private       bool      `json:"private,omitempty"`
	WebPublic     bool      `json:"web_public,omitempty"`
	HistoryPublic bool      `json:"history_public"`           // for subscribers; always true unless private
	RetentionDays *int      `json:"retention_days,omitempty"` // nil: the realm's; -1: forever
	FirstMessage  int64     `json:"first_message,omitempty"`  // 0: none
	Folder        FolderID  `json:"folder,omitempty"`         // 0: none
	// inherit, allow_empty_topic, disable_empty_topic, empty_topic_only
	TopicsPolicy string                   `json:"topics_policy"`
	Archived     bool                     `json:"archived,omitempty"`
	Default      bool                     `json:"default,omitempty"` // new users are subscribed
	Permissions  map[string]group.Setting `json:"permissions"`       // the eleven can_..._group settings by wire name
	Weekly       *int                     `json:"weekly,omitempty"`  // messages per week; nil: too young
	Quiet        bool                     `json:"quiet,omitempty"`   // not recently active
}
