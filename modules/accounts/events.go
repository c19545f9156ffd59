package accounts

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// added is the log's word for a new user, whose record is looked up for each receiver: the address is not for all. Or
// it is for guests: who have come to see people, or who do not see a new user.
type added struct {
	UserID user.ID      `json:"user_id,omitempty"`
	Seen   event.People `json:"seen,omitempty"`
	Told   event.People `json:"told,omitempty"`   // who is told of those in Seen
	Unseen user.ID      `json:"unseen,omitempty"` // a new user, of whom the receivers are told no more than that there is one

	profiles map[user.ID]profile // read at delivery
	head     *directory.View
	unseen   bool // one of Told does not see all of Seen any more
}

type personEvent struct {
	Person person `json:"person"`
}

// introduce gives what realm_user/add says of a person: the record without the key that fails strict clients there.
func introduce(p person) personEvent {
	p.IsImported = nil
	return personEvent{p}
}

var userAdded = kit.Event[added]("realm_user", "add").
	Forms(func(_ context.Context, v *directory.View, c event.Client, p *added) []any {
		switch {
		case p.Unseen != 0:
			return p.placeholder(v, c)
		case len(p.Seen) > 0:
			return p.strangers(v, c, func(user.ID) bool { return true })
		}
		return []any{kit.None{}} // for each receiver
	}).
	Own(func(r event.Receiver, p *added) ([]any, bool) { return p.apart(r) }).
	Personal(func(r event.Receiver, p *added) (any, bool) {
		switch {
		case p.Unseen != 0: // whoever sees them by now is told who they are
			return nil, !permission.Sees(r.Head, r.Head.User(r.User.ID), p.Unseen)
		case len(p.Seen) > 0:
			return nil, true
		}
		then, now := r.View.User(p.UserID), r.Head.User(p.UserID)
		if then == nil || now == nil {
			return nil, false
		}
		h := how{gravatar: r.Queue.Client.ClientGravatar, profile: true, active: true}
		me := r.Head.User(r.User.ID)
		if permission.Sees(r.Head, me, p.UserID) { // it may be newer than the last time that the receiver did
			h.profiles = p.profiles
		}
		w := record(r.View, me, late(then, now), h)
		if !permission.SeesEmail(r.View.User(r.User.ID), then) || !permission.SeesEmail(me, now) {
			w.DeliveryEmail = nil
		}
		return introduce(w), true
	})

// late gives a person as of an event to those who hear of it only now. Their address is the present one, and real only
// where it is so now and was so then: of what was shown or hidden since, an event of its own tells later.
func late(then, now *user.User) *user.User {
	u := *then
	u.DeliveryEmail = now.DeliveryEmail
	if u.Settings.EmailAddressVisibility == user.EveryoneSees {
		u.Settings.EmailAddressVisibility = now.Settings.EmailAddressVisibility
	}
	return &u
}

// introduce reads the profiles of the users whom a page of entries is about, with one question.
func (s *service) introduce(ctx context.Context, v *directory.View, page []*added) error {
	var ids user.Set
	for _, p := range page {
		ids = ids.Union(user.Set(p.Seen))
		if p.UserID != 0 {
			ids = ids.Union(user.Set{p.UserID})
		}
	}
	for _, p := range page {
		p.head = v
		p.unseen = p.someUnseen()
	}
	if len(ids) == 0 {
		return nil
	}
	all, err := s.profiles(ctx, v.Realm().ID, ids)
	for _, p := range page {
		p.profiles = all
	}
	return err
}

// changed is one change of a user, or of several. Person and Persons are what everybody may know of it; the other two
// are told in different words.
type changed struct {
	Person  map[string]any   `json:"person,omitempty"`
	Persons []map[string]any `json:"persons,omitempty"` // an event for each
	Avatar  user.ID          `json:"avatar,omitempty"`  // 0, or whose picture has changed
	Email   *emailChange     `json:"email,omitempty"`   // nil, or how an address, or who may see it, has changed
	Rank    *rankChange      `json:"rank,omitempty"`    // nil, or who sees other addresses now

	head *directory.View // at delivery
}

type emailChange struct {
	UserID user.ID `json:"user_id"`
	Moved  bool    `json:"moved"` // it is another address
	Was    int     `json:"was"`   // email_address_visibility
	Is     int     `json:"is"`
}

type personChange struct {
	Person map[string]any `json:"person"`
}

var userUpdated = kit.Event[changed]("realm_user", "update").
	Forms(func(_ context.Context, v *directory.View, c event.Client, p *changed) []any {
		switch {
		case p.Email != nil:
			return []any{kit.None{}} // for each receiver
		case p.Rank != nil:
			return p.Rank.addresses(v, p.head)
		case p.Avatar != 0:
			u := v.User(p.Avatar)
			if u == nil {
				return nil
			}
			return []any{personChange{avatarOf(v, u, c.ClientGravatar)}}
		case p.Person != nil:
			return []any{personChange{p.present()}}
		}
		all := make([]any, len(p.Persons))
		for i, person := range p.Persons {
			all[i] = personChange{person}
		}
		return all
	}).
	Late(func(_ context.Context, head *directory.View, page []*changed) error {
		for _, p := range page {
			p.head = head
		}
		return nil
	}).
	Personal(func(r event.Receiver, p *changed) (any, bool) {
		if p.Email == nil {
			return nil, !p.outdated(r)
		}
		then := r.View.User(r.User.ID) // who may have another role by now, of which rankChange tells
		saw, sees := seesAs(then, p.Email.UserID, p.Email.Was), seesAs(then, p.Email.UserID, p.Email.Is)
		now := r.Head.User(p.Email.UserID)
		sees = sees && permission.SeesEmail(r.User, now) // it may have been hidden since then
		if saw == sees && (!sees || !p.Email.Moved) {
			return nil, false
		}
		person := map[string]any{"user_id": p.Email.UserID, "delivery_email": nil}
		if sees {
			person["delivery_email"] = now.DeliveryEmail // as it was then it may be no more
		}
		return personChange{person}, true
	})

// outdated tells whether the change is of what followed from an address that clients no longer know the user by. The
// event of what it is now comes later; this one would tell slow queues an address that is hidden by now.
func (p *changed) outdated(r event.Receiver) bool {
	id := p.Avatar
	if _, moved := p.Person["new_email"]; moved {
		id = p.whose()
	}
	if id == 0 {
		return false
	}
	then, now := r.View.User(id), r.Head.User(id)
	return then == nil || now == nil || permission.APIEmail(r.View, then) != permission.APIEmail(r.Head, now)
}

// present is what everybody may know of the change. An address that goes with it is the one that clients know the user
// by now.
func (p *changed) present() map[string]any {
	now := p.head.User(p.whose())
	if _, named := p.Person["email"]; !named || now == nil {
		return p.Person
	}
	person := maps.Clone(p.Person)
	person["email"] = permission.APIEmail(p.head, now)
	return person
}

// whose gives whom Person is about.
func (p *changed) whose() user.ID {
	f, _ := p.Person["user_id"].(float64) // numbers of the log
	return user.ID(f)
}

// seesAs tells whether reader may know the address of a person with that visibility.
func seesAs(reader *user.User, of user.ID, visibility int) bool {
	return permission.SeesEmail(reader, &user.User{ID: of, Settings: user.Settings{EmailAddressVisibility: visibility}})
}

func avatarOf(v *directory.View, u *user.User, gravatar bool) map[string]any {
	p := map[string]any{
		"user_id": u.ID, "avatar_url": nil, "avatar_url_medium": nil, "avatar_source": u.AvatarSource, "avatar_version": u.AvatarVersion,
	}
	if url := permission.AvatarURL(v, u, gravatar); url != nil {
		p["avatar_url"], p["avatar_url_medium"] = *url, u.AvatarURL(domainOf(v), true)
	}
	return p
}

// personOf is a change that everybody may know of: id, then pairs of key and value.
func personOf(id user.ID, key string, value any) changed {
	return changed{Person: map[string]any{"user_id": id, key: value}}
}

// Updated makes the event of changes that another module has made; see ports.UserUpdates.
func (s *service) Updated(r realm.ID, to event.Audience, changes ...ports.UserUpdate) event.Event {
	if len(changes) == 1 {
		return userUpdated.To(r, to, personOf(changes[0].User, changes[0].Key, changes[0].Value))
	}
	var p changed
	for _, c := range changes {
		p.Persons = append(p.Persons, personOf(c.User, c.Key, c.Value).Person)
	}
	return userUpdated.To(r, to, p)
}

// settingEvent is a change of one's own settings.
type settingEvent struct {
	Property     string `json:"property"`
	Value        any    `json:"value"`
	LanguageName string `json:"language_name,omitempty"`
}

var settingUpdated = kit.Event[settingEvent]("user_settings", "update")
