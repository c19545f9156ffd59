package declared

import (
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// Scope is the kind of object that has a value of a setting.
type Scope string

// The scopes, with their wire names.
const (
	OfRealm   Scope = "realm"
	OfUser    Scope = "user"
	OfChannel Scope = "channel"
)

// Setting is the declaration of a setting.
type Setting struct {
	Key     string // unique on the server; existing values are stored under it
	Of      Scope
	Label   string    // what the setting is called in the client, in English
	Doc     string    // a sentence that explains it
	Default any       // of the type of the handle
	By      user.Role // the lowest role that may change a setting of the organization; otherwise 0
	Public  bool      // see User.Public and Channel.Public

	Values
}

// Any is a Realm, a User or a Channel with any type of value.
type Any interface{ Declaration() *Setting }

// Declaration implements Any.
func (s *Setting) Declaration() *Setting { return s }

func declare[T any](of Scope, key string, k Kind[T], label, doc string) *Setting {
	if k.values.Rule != nil {
		k.values.Rule.Name = key
	}
	return &Setting{Key: key, Of: of, Label: label, Doc: doc, Default: k.standard, Values: k.values}
}

// Realm is a setting of the organization. Administrators change it.
type Realm[T any] struct{ *Setting }

// ForRealm declares a setting of the organization.
func ForRealm[T any](key string, k Kind[T], label, doc string) Realm[T] {
	s := declare(OfRealm, key, k, label, doc)
	s.By = user.Admin
	return Realm[T]{s}
}

// ByOwners reserves changes for owners.
func (s Realm[T]) ByOwners() Realm[T] {
	c := *s.Setting
	c.By = user.Owner
	return Realm[T]{&c}
}

// In returns the value in a view.
func (s Realm[T]) In(v *directory.View) T { return in(v, s.Setting, 0).(T) }

// User is a personal setting, which users change for themselves. It cannot have groups as values.
type User[T any] struct{ *Setting }

// ForUser declares a personal setting.
func ForUser[T any](key string, k Kind[T], label, doc string) User[T] {
	return User[T]{declare(OfUser, key, k, label, doc)}
}

// Public lets all who can see a user see the value, which clients show in the user's profile.
func (s User[T]) Public() User[T] { return User[T]{s.public()} }

// Of returns a user's value.
func (s User[T]) Of(v *directory.View, u user.ID) T { return in(v, s.Setting, int64(u)).(T) }

// Channel is a setting of channels. Those who administer a channel change it.
type Channel[T any] struct{ *Setting }

// ForChannel declares a setting of channels.
func ForChannel[T any](key string, k Kind[T], label, doc string) Channel[T] {
	return Channel[T]{declare(OfChannel, key, k, label, doc)}
}

// Public has clients show the value to all who see the channel's details. They may know it in any case.
func (s Channel[T]) Public() Channel[T] { return Channel[T]{s.public()} }

// Of returns a channel's value.
func (s Channel[T]) Of(v *directory.View, c channel.ID) T { return in(v, s.Setting, int64(c)).(T) }

func (s *Setting) public() *Setting {
	c := *s
	c.Public = true
	return &c
}

var keys = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Problems describes the errors in the declaration.
func (s *Setting) Problems() []string {
	all := s.problems()
	if !keys.MatchString(s.Key) {
		all = append(all, "its key must consist of lower-case letters, digits and _")
	}
	if s.Label == "" || !strings.HasSuffix(s.Doc, ".") {
		all = append(all, "it needs a label, and a sentence that explains it")
	}
	if s.Rule != nil && s.Of == OfUser {
		all = append(all, "the value of a personal setting cannot be a group")
	}
	if s.Rule != nil && s.Public {
		all = append(all, "the value of a public setting cannot be a group")
	}
	if len(all) == 0 {
		if err := s.check(s.Key, s.Default); err != nil {
			all = append(all, "its default is refused: "+err.Error())
		}
	}
	return all
}
