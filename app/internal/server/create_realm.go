package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// NewRealm describes a realm to create and its owner.
type NewRealm struct {
	Name                  string
	StringID              string // "": the root realm
	OwnerEmail, OwnerName string
	OwnerPassword         string
}

// CreatedRealm describes a realm that has been created.
type CreatedRealm struct {
	Realm realm.ID `json:"realm_id"`
	Owner user.ID  `json:"user_id"`
	Email string   `json:"email"`
	Key   string   `json:"api_key"`
}

// ErrRealmExists reports that a realm already exists.
var ErrRealmExists = errors.New("this database already contains a realm")

// MinPassword returns the minimum length of a password in code points.
func (p Ports) MinPassword() int {
	if p.Passwords == nil {
		return user.MinPassword
	}
	return p.Passwords.MinLength()
}

// CheckPassword refuses passwords that an owner must not choose; see ports.Passwords. Errors: BadRequest.
func (p Ports) CheckPassword(password, email string, names ...string) error {
	if p.Passwords == nil {
		return user.CheckPassword(password, email, user.MinPassword)
	}
	return p.Passwords.Check(password, email, names...)
}

// Empty reports whether there is no realm yet.
func (p Ports) Empty(ctx context.Context) (bool, error) {
	all, err := p.Realms.All(ctx)
	return len(all) == 0, err
}

// CreateFirstRealm creates the first realm, its owner and the owner's API key in a single transaction. Errors:
// ErrRealmExists; those of the modules for invalid names.
func (p Ports) CreateFirstRealm(ctx context.Context, f NewRealm) (CreatedRealm, error) {
	empty, err := p.Empty(ctx)
	switch {
	case err != nil:
		return CreatedRealm{}, err
	case !empty:
		return CreatedRealm{}, ErrRealmExists
	}
	return p.CreateRealm(ctx, f)
}

// CreateRealm creates another realm, as CreateFirstRealm does for the first. Errors: those of the modules for invalid
// names.
func (p Ports) CreateRealm(ctx context.Context, f NewRealm) (CreatedRealm, error) {
	if p.Accounts == nil {
		return CreatedRealm{}, errors.New("no module creates accounts; add modules: {accounts: {}}")
	}
	out := CreatedRealm{Email: f.OwnerEmail}
	err := p.Work.Do(ctx, func(ctx context.Context) error {
		var err error
		if out.Realm, err = p.Realms.Create(ctx, f.Name, f.StringID); err != nil {
			return fmt.Errorf("the realm: %w", err)
		}
		out.Owner, err = p.Accounts.Create(ctx, System(out.Realm), ports.NewUser{
			Email: f.OwnerEmail, FullName: f.OwnerName, Password: f.OwnerPassword, Role: user.Owner,
		})
		if err != nil {
			return fmt.Errorf("the owner: %w", err)
		}
		if out.Key, err = p.Accounts.IssueKey(ctx, System(out.Realm), out.Owner); err != nil {
			return fmt.Errorf("the owner's key: %w", err)
		}
		return p.Hooks.Run(ctx, &realm.OwnerCreated{Realm: out.Realm})
	})
	if err != nil {
		return CreatedRealm{}, err
	}
	return out, nil
}

const firstChannel = "general"

// firstMessage is read by all members, so it names no commands of the operator.
const firstMessage = "Welcome! New members are subscribed to this channel. To bring people in, create an invitation " +
	"link in your app."

// Welcome creates a new realm's public channel and first message, if the modules for them run.
func (p Ports) Welcome(ctx context.Context, out CreatedRealm) error {
	if p.Channels == nil {
		return nil
	}
	owner := user.Actor{Realm: out.Realm, User: out.Owner, Role: user.Owner, Client: "stoa"}
	c, err := p.Channels.Create(ctx, owner, ports.NewChannel{
		Name: firstChannel, Description: "For everyone.", HistoryPublic: true, Default: true,
	}, []user.ID{out.Owner})
	if err != nil || p.Sender == nil {
		return err
	}
	_, err = p.Sender.Send(ctx, owner, message.Outgoing{
		Channel: c, Topic: "hello", Content: firstMessage, ReadFor: out.Owner,
	})
	return err
}

// System returns the server itself as an actor.
func System(r realm.ID) user.Actor { return user.Actor{Realm: r, System: true, Client: "stoa"} }
