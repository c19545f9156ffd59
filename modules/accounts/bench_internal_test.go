package accounts

import (
	"context"
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// fixedDirectory always returns the same view.
type fixedDirectory struct {
	ports.Directory
	v *directory.View
}

func (s fixedDirectory) View(context.Context, realm.ID) (*directory.View, error) { return s.v, nil }

// noHooks runs no handlers.
type noHooks struct{ ports.Hooks }

func (noHooks) Run(context.Context, any) error { return nil }

// BenchmarkRegisterUsers builds and encodes the user section of /register for 10,000 users.
func BenchmarkRegisterUsers(b *testing.B) {
	var d directory.Builder
	d.Realm(&realm.Realm{ID: 1, MailDomain: "stoa.invalid", Settings: realm.Defaults()})
	for id := range user.ID(10000) {
		d.User(&user.User{
			ID: id + 1, DeliveryEmail: fmt.Sprintf("person%d@example.com", id), FullName: fmt.Sprintf("Person %d", id),
			Role:   user.Member,
			Active: true, AvatarSource: user.Gravatar, AvatarVersion: 1, Settings: user.Defaults(),
		})
	}
	s := &service{needs: needs{Directory: fixedDirectory{v: d.View(1)}, Hooks: noHooks{}}}
	for b.Loop() {
		out, err := s.usersSection(b.Context(), kit.Actor{Realm: 1, User: 1}, event.Client{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := out.Users.AppendJSON(make([]byte, 0, out.Users.Size())); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode encodes the part of a user's record that is the same for all readers. The first registration after a
// restart does this for every user.
func BenchmarkEncode(b *testing.B) {
	var d directory.Builder
	d.Realm(&realm.Realm{ID: 1, MailDomain: "stoa.invalid", Settings: realm.Defaults()})
	v := d.View(1)
	u := &user.User{ID: 1, DeliveryEmail: "person1@example.com", FullName: "Person 1", Role: user.Member, Active: true,
		Settings: user.Defaults()}
	for b.Loop() {
		if _, err := encode(v, u); err != nil {
			b.Fatal(err)
		}
	}
}
