package group

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// MembersChanged is a hook event that runs in the commit, after its log entries, when a user has added or removed
// direct members of a group. The messages module notifies these members. An error rolls the change back.
type MembersChanged struct {
	Realm          ids.Realm
	By             user.Actor
	Group          *Group // before the change
	Added, Removed user.Set
}
