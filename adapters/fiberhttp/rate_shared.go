package fiberhttp

import (
	"net/netip"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Spent is what requests to a node have taken from a token bucket that all nodes share: those of failed logins, of the
// classes that modules declare, and of bulk. Each node counts by itself and is told within a second what the others
// have counted: spreading requests over the nodes gains only what is taken within that second.
type Spent struct {
	Limit  string     `json:"l"`
	Realm  realm.ID   `json:"r,omitempty"`
	User   user.ID    `json:"u,omitempty"`
	Owner  user.ID    `json:"o,omitempty"`
	Name   string     `json:"n,omitempty"`
	From   netip.Addr `json:"f,omitzero"`
	Tokens float64    `json:"t"` // negative: given back
}

const (
	// maxSpent limits how many buckets of a kind can have tokens taken that other nodes have not been told of yet.
	maxSpent = 10_000
	// maxSharedName is the length in bytes beyond which names are not shared: no user's address is as long.
	maxSharedName = 320
)

// shared is a kind of buckets that nodes share.
type shared struct {
	take  func() []Spent
	spend func(Spent, *Server)
}

// share makes the nodes share buckets. The functions convert their keys, of which name is the kind.
func share[K comparable](b *buckets[K], name string, spent func(K) Spent, key func(Spent) K) shared {
	b.spent = map[K]float64{}
	return shared{
		take: func() []Spent {
			var all []Spent
			for k, n := range b.takeSpent() {
				if s := spent(k); n != 0 && len(s.Name) <= maxSharedName {
					s.Limit, s.Tokens = name, n
					all = append(all, s)
				}
			}
			return all
		},
		spend: func(s Spent, at *Server) { b.lose(key(s), s.Tokens, at.Clock.Now()) },
	}
}

// shareAll makes the nodes share the limits that protect passwords and second factors, and that of expensive reads.
func (l *limiter) shareAll() map[string]shared {
	ofAttempt := func(a loginAttempt) Spent { return Spent{Realm: a.realm, Name: a.name, From: a.from} }
	toAttempt := func(s Spent) loginAttempt { return loginAttempt{s.Realm, s.Name, s.From} }
	ofReader := func(r reader) Spent { return Spent{User: r.user, Owner: r.owner, From: r.from} }
	toReader := func(s Spent) reader { return reader{s.User, s.Owner, s.From} }
	all := map[string]shared{}
	all["failed_logins"] = share(l.logins.perAddress, "failed_logins", ofAttempt, toAttempt)
	all["all_failed_logins"] = share(l.logins.perName, "all_failed_logins", ofAttempt, toAttempt)
	all["failed_logins_from"] = share(l.logins.perNetwork, "failed_logins_from", ofAttempt, toAttempt)
	all["bulk"] = share(l.bulk, "bulk", ofReader, toReader)
	for class, c := range l.classes {
		if c.users != nil {
			all["users "+class] = share(c.users, "users "+class, ofReader, toReader)
		}
		if c.realms != nil {
			all["realms "+class] = share(c.realms, "realms "+class,
				func(r realm.ID) Spent { return Spent{Realm: r} }, func(s Spent) realm.ID { return s.Realm })
		}
	}
	return all
}

// TakeSpent returns what requests have taken from the limits that nodes share since the last call.
func (s *Server) TakeSpent() []Spent {
	l := s.limits()
	if l == nil {
		return nil
	}
	var all []Spent
	for _, kind := range l.shared {
		all = append(all, kind.take()...)
	}
	return all
}

// Spend takes from the limits what requests to another node have taken there. It ignores limits that it does not know.
func (s *Server) Spend(all []Spent) {
	l := s.limits()
	if l == nil {
		return
	}
	for _, spent := range all {
		if kind, ok := l.shared[spent.Limit]; ok {
			kind.spend(spent, s)
		}
	}
}
