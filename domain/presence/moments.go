package presence

import "github.com/stoachat/stoa/domain/user"

// Noting is a moment: it stores reports that the server makes up for people (demo). It runs outside of any unit of
// work. Without a module that keeps presence nothing comes of it.
type Noting struct {
	By      user.Actor
	Reports map[user.ID]Status
}
