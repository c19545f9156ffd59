package kernel

import (
	"context"
	"errors"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Once a key or account has been revoked, requests authenticated with it change nothing, even on a node that has not
// seen the revocation and has admitted the request. Changes by the server itself continue.
func TestRevokedCaller(t *testing.T) {
	w := newCluster(t)
	a, b := w.node(), w.node()
	key := func(keys ...user.KeyHash) func(*user.User) { return func(u *user.User) { u.Keys = keys } }
	a.must(a.put(bg, 1, 1, named("1")))
	a.must(a.put(bg, 1, 2, named("2")))
	if _, err := b.View(bg, 1); err != nil { // from here on, the view follows the log
		t.Fatal(err)
	}
	a.must(a.put(bg, 1, 1, key("first")))
	a.must(a.put(bg, 1, 2, key("other")))
	asking := func(u user.ID, k user.KeyHash) context.Context {
		return ports.WithCaller(bg, user.Actor{Realm: 1, User: u, Key: k})
	}
	for _, step := range []struct {
		name    string
		end     func(*user.User)
		refused user.KeyHash
		taken   []user.KeyHash
	}{
		{"another key", key("second"), "first", []user.KeyHash{"second", ""}}, // "": a session, which depends on no key
		{"no key", key(), "second", []user.KeyHash{""}},
		{"deactivation", func(u *user.User) { u.Active = false }, "", nil},
	} {
		a.must(a.put(bg, 1, 1, step.end))
		late := asking(1, step.refused)
		if err := b.put(late, 1, 2, named("by 1")); !errs.Is(err, errs.Unauthorized) {
			t.Errorf("%s: a unit of work: %v", step.name, err)
		}
		if err := b.Do(late, func(context.Context) error { return nil }); !errs.Is(err, errs.Unauthorized) {
			t.Errorf("%s: a unit of work without events: %v", step.name, err)
		}
		if _, err := b.send(late, 1, 2, "late"); !errs.Is(err, errs.Unauthorized) {
			t.Errorf("%s: the writer: %v", step.name, err)
		}
		for _, k := range step.taken {
			if _, err := b.send(asking(1, k), 1, 2, "in time"); err != nil {
				t.Errorf("%s: the writer, with %q: %v", step.name, k, err)
			}
			b.must(b.put(asking(1, k), 1, 2, named("2")))
			b.must(b.Do(asking(1, k), func(context.Context) error { return nil }))
		}
	}
	if v, err := b.View(bg, 1); err != nil || v.User(2).FullName != "2" {
		t.Errorf("%v, %v", v.User(2), err)
	}
	followed := errors.New("not run")
	a.must(a.Do(asking(2, "other"), func(ctx context.Context) error {
		if _, err := a.View(ctx, 1); err != nil {
			return err
		}
		a.AfterCommit(ctx, func(ctx context.Context) { followed = a.put(ctx, 1, 1, named("left")) })
		return a.put(ctx, 1, 2, func(u *user.User) { u.Active = false })
	}))
	if followed != nil {
		t.Errorf("events that follow from ending the caller's own account: %v", followed)
	}
}
