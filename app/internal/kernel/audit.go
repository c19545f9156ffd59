package kernel

import (
	"context"
	"reflect"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/ports"
)

var committing = reflect.TypeFor[audit.Committing]()

// Record implements ports.Audit.
func (k *Kernel) Record(ctx context.Context, facts ...audit.Fact) error {
	if len(k.hooks.of[committing]) == 0 {
		return nil
	}
	return k.Do(ctx, func(ctx context.Context) error {
		u := unitOf(ctx)
		u.facts = append(u.facts, facts...)
		return nil
	})
}

// audit lets modules record what the unit has changed. If it has appended entries, it holds the realm's lock, so that
// what the hooks lock comes last in the order of locks.
func (u *unit) audit(ctx context.Context) error {
	if len(u.changes) == 0 && len(u.facts) == 0 {
		return nil
	}
	return u.k.Run(ctx, &audit.Committing{
		By: ports.Request(ctx), View: u.views[u.realm], Realm: u.realm, Changes: u.changes, Facts: u.facts,
	})
}
