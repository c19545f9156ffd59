package importing

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
)

// Received is when a person received the messages of a channel that is Protected. Nobody else can read them.
type Received struct {
	Person, Channel Key
	Periods         []Period // oldest first
}

// Membership is when a user received the messages of a channel.
type Membership struct {
	User    user.ID
	Channel channel.ID
	Periods []Period // oldest first
}

// Has reports whether one of some periods contains a time.
func Has(all []Period, at time.Time) bool {
	for _, p := range all {
		if !at.Before(p.From) && (p.To.IsZero() || at.Before(p.To)) {
			return true
		}
	}
	return false
}
