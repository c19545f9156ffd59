package event

import (
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Listening is a query for those of the given users who have a live event queue for new messages. events returns a
// map[user.ID]Seq with the highest log position known to have been acknowledged by one of a user's queues. The
// information may be up to a minute old.
type Listening struct {
	Realm realm.ID
	Users user.Set
}
