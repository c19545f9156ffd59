package fiberhttp

import (
	"cmp"
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// classLimiter counts the requests of a class that a module declares. A nil field has no limit.
type classLimiter struct {
	users  *buckets[reader]
	realms *buckets[realm.ID]
}

// Of returns the classes, which modules declare, with the configured limits.
func (c RateLimits) Of(classes map[string]kit.RateClass) map[string]kit.RateClass {
	all := make(map[string]kit.RateClass, len(classes))
	for name, class := range classes {
		set := c.Classes[name]
		class.PerUser, class.PerRealm = cmp.Or(set.PerUser, class.PerUser), cmp.Or(set.PerRealm, class.PerRealm)
		all[name] = class
	}
	return all
}

// InForce returns the classes of the server as well, or none if there are no limits.
func (c RateLimits) InForce(classes map[string]kit.RateClass) map[string]kit.RateClass {
	if !c.Enabled {
		return nil
	}
	all := c.Of(classes)
	for name, perUser := range map[string]int{
		kit.RateRequests: c.PerUser, kit.RateFiles: c.Files, kit.RatePolls: c.Polls, kit.RateServers: c.Servers,
	} {
		all[name] = kit.RateClass{Name: name, PerUser: perUser}
	}
	return all
}

func classLimiters(c RateLimits, modules *kit.Collected) map[string]*classLimiter {
	classes := map[string]kit.RateClass{}
	for _, m := range modules.Modules {
		for _, class := range m.Parts.Rates {
			classes[m.Module+"."+class.Name] = class
		}
	}
	all := map[string]*classLimiter{}
	for name, class := range c.Of(classes) {
		l := &classLimiter{}
		if class.PerUser > 0 {
			l.users = newBuckets[reader](class.PerUser, c.Window, c.Remembered)
		}
		if class.PerRealm > 0 {
			l.realms = newBuckets[realm.ID](class.PerRealm, c.Window, c.Remembered)
		}
		all[name] = l
	}
	return all
}

// countClass counts a request for the class of its route, which a module declares. Errors: RateLimit.
func (l *limiter) countClass(x *request, now time.Time) error {
	if l == nil {
		return nil
	}
	class := l.classes[x.route.class()]
	if class == nil {
		return nil
	}
	if class.users != nil {
		if q, ok := class.users.take(x.caller.reader(), now); !ok {
			q.write(&x.c.Response().Header)
			return q.refusal()
		}
	}
	if class.realms != nil && x.actor.Realm != 0 {
		if q, ok := class.realms.take(x.actor.Realm, now); !ok {
			if class.users != nil {
				class.users.refund(x.caller.reader(), now)
			}
			q.write(&x.c.Response().Header)
			return q.refusal()
		}
	}
	return nil
}

// class returns the name of the route's rate class, with its module if that declares it.
func (r *route) class() string {
	if kit.OwnRateClass(r.RateClass) {
		return r.RateClass
	}
	return r.module + "." + r.RateClass
}
