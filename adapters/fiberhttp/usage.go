package fiberhttp

import (
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Usage says how much of a rate limit a user has left on this node.
type Usage struct {
	Limit string    `json:"limit"` // its key in http.rate_limits
	Size  int       `json:"size"`
	Left  int       `json:"left"`
	Full  time.Time `json:"full_again"`
}

// Limited is a user whom rate limits apply to.
type Limited struct {
	Realm    realm.ID
	User     user.ID
	BotOwner user.ID // 0: not a bot, or one without an owner
	Address  string  // with which the user logs in
}

func (l Limited) reader() reader { return caller{user: l.User, owner: l.BotOwner}.reader() }

// owns reports whether login attempts, from any address, name this user.
func (l Limited) owns(k loginAttempt) bool {
	return k.realm == l.Realm && (k.name == user.EmailKey(l.Address) || k.name == user.EmailKey("again "+l.Address))
}

// Usage returns what a user has left of the rate limits of this node; none if there are no limits. Of failed logins, it
// returns the fullest count of those from one address and of those from all.
func (s *Server) Usage(of Limited) []Usage {
	l, now := s.limits(), s.Clock.Now()
	if l == nil {
		return nil
	}
	as := func(name string, q quota) Usage { return Usage{name, q.limit, q.remaining, q.reset} }
	out := []Usage{as("per_user", l.users.peek(of.User, now))}
	if of.BotOwner != 0 {
		out = append(out, as("per_owner", l.owners.peek(of.BotOwner, now)))
	}
	bulk := l.bulk.peek(of.reader(), now)
	bulk.limit, bulk.remaining = bulk.limit>>10, bulk.remaining>>10 // MiB, as in the configuration
	return append(out,
		as("files", l.files.peek(of.reader(), now)),
		as("polls", l.polls.peek(of.reader(), now)),
		as("bulk", bulk),
		as("failed_logins", l.logins.perAddress.least(of.owns, now)),
		as("failed_logins, all addresses", l.logins.perName.least(of.owns, now)),
	)
}

// ResetUsage gives a user back all of the rate limits of this node.
func (s *Server) ResetUsage(of Limited) {
	l := s.limits()
	if l == nil {
		return
	}
	same := func(r reader) bool { return r == of.reader() }
	l.users.reset(func(id user.ID) bool { return id == of.User })
	l.owners.reset(func(id user.ID) bool { return id == of.BotOwner })
	for _, b := range []*buckets[reader]{l.files, l.polls, l.bulk} {
		b.reset(same)
	}
	l.logins.perAddress.reset(of.owns)
	l.logins.perName.reset(of.owns)
}
