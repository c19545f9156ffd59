package presence

import "github.com/stoachat/stoa/domain/user"

// Noting is a hook event that stores presence reports made up by the server (demo). It runs outside of any unit of
// work and has no effect without a presence module.
type Noting struct {
	By      user.Actor
	Reports map[user.ID]Status
}
