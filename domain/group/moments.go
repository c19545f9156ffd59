package group

import (
	"github.com/stoachat/stoa/domain/ids"
	"github.com/stoachat/stoa/domain/user"
)

// MembersChanged runs in the commit, after the entries that tell of it, when somebody has made people direct members of
// a group or has ended that. Messages tells these people. An error rolls the change back.
type MembersChanged struct {
	Realm          ids.Realm
	By             user.Actor
	Group          *Group // as it was
	Added, Removed user.Set
}
