package accounts

import (
	"context"
	"maps"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/profilefield"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// added is the log entry of realm_user/add events. One of UserID, Seen and Unseen is set.
type added struct {
	UserID    user.ID      `json:"user_id,omitempty"` // a new user; the record depends on who can see the address
	Seen      event.People `json:"seen,omitempty"`    // users who have become visible to the receivers, who are guests
	Receivers event.People `json:"told,omitempty"`    // the users who receive Seen
	Unseen    user.ID      `json:"unseen,omitempty"`  // a new user whom the receivers cannot see

	profiles map[user.ID]profile // read at delivery
	head     *directory.View     // the view at delivery
	unseen   bool                // some of Receivers can no longer see all of Seen
}

type personEvent struct {
	Person person `json:"person"`
}

// introduce returns a realm_user/add event. It omits is_imported_stub, which strict clients reject in this event.
func introduce(p person) personEvent {
	p.IsImported = nil
	return personEvent{p}
}

var userAdded = kit.Event[added]("realm_user", "add").Sends(personEvent{}).
	Forms(func(_ context.Context, v *directory.View, c event.Client, p *added) []any {
		switch {
		case p.Unseen != 0:
			return p.placeholder(v, c)
		case len(p.Seen) > 0:
			return p.becameVisible(v, c, func(user.ID) bool { return true })
		}
		return []any{kit.None{}} // per receiver
	}).
	PerReceiver(func(r event.Receiver, p *added) ([]any, bool) { return p.perReceiver(r) }).
	Personal(func(r event.Receiver, p *added) (any, bool) {
		switch {
		case p.Unseen != 0: // receivers who can see the user by now get another event
			return nil, !permission.Sees(r.Head, r.Head.User(r.User.ID), p.Unseen)
		case len(p.Seen) > 0:
			return nil, true
		}
		then, now := r.View.User(p.UserID), r.Head.User(p.UserID)
		if then == nil || now == nil {
			return nil, false
		}
		h := format{gravatar: r.Queue.Client.ClientGravatar, profile: true, active: true}
		me := r.Head.User(r.User.ID)
		if permission.Sees(r.Head, me, p.UserID) { // profiles are current, so only current visibility permits them
			h.profiles = p.profiles
		}
		w := record(r.View, me, asOf(then, now), h)
		if !permission.SeesEmail(r.View.User(r.User.ID), then) || !permission.SeesEmail(me, now) {
			w.DeliveryEmail = nil
		}
		return introduce(w), true
	})

// asOf returns the user as of an event, then, for delivery when the user's current state is now. The email address is
// the current one. It is visible to everyone only if it was at the event and still is. Later events report the changes
// since.
func asOf(then, now *user.User) *user.User {
	u := *then
	u.DeliveryEmail = now.DeliveryEmail
	if u.Settings.EmailAddressVisibility == user.EveryoneSees {
		u.Settings.EmailAddressVisibility = now.Settings.EmailAddressVisibility
	}
	return &u
}

// introduce loads the profiles of all users in a page of entries with one query.
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
		p.unseen = p.anyUnseen()
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

// changed is the log entry of realm_user/update events. Person and Persons are the same for all receivers. The other
// fields are rendered at delivery.
type changed struct {
	Person     map[string]any   `json:"person,omitempty"`
	Persons    []map[string]any `json:"persons,omitempty"` // one event per element
	Avatar     user.ID          `json:"avatar,omitempty"`  // the user whose avatar changed, or 0
	Email      *emailChange     `json:"email,omitempty"`   // the change of an address or of its visibility, or nil
	RoleChange *roleChange      `json:"rank,omitempty"`    // a role change that affects visible addresses, or nil

	head *directory.View // the view at delivery
}

type emailChange struct {
	UserID user.ID `json:"user_id"`
	Moved  bool    `json:"moved"` // the address changed, not only its visibility
	Was    int     `json:"was"`   // previous email_address_visibility
	Is     int     `json:"is"`
}

// updateEvent describes realm_user/update events: who, and the changed keys of the record.
type updateEvent struct {
	Person updatedPerson `json:"person"`
}

type updatedPerson struct {
	UserID          user.ID       `json:"user_id"`
	FullName        *string       `json:"full_name,omitempty"`
	Email           *string       `json:"email,omitempty" doc:"The present address, beside another change."`
	NewEmail        *string       `json:"new_email,omitempty"`
	DeliveryEmail   **string      `json:"delivery_email,omitempty"`
	Role            *user.Role    `json:"role,omitempty"`
	IsActive        *bool         `json:"is_active,omitempty"`
	IsImported      *bool         `json:"is_imported_stub,omitempty"`
	Timezone        *string       `json:"timezone,omitempty"`
	DateJoined      *string       `json:"date_joined,omitempty"`
	BotOwner        *user.ID      `json:"bot_owner_id,omitempty"`
	AvatarURL       **string      `json:"avatar_url,omitempty"`
	AvatarURLMedium **string      `json:"avatar_url_medium,omitempty"`
	AvatarSource    *string       `json:"avatar_source,omitempty"`
	AvatarVersion   *int          `json:"avatar_version,omitempty"`
	ProfileField    *profileValue `json:"custom_profile_field,omitempty"`
}

// profileValue is a changed value of a custom profile field.
type profileValue struct {
	ID       profilefield.ID `json:"id"`
	Value    *string         `json:"value"`
	Rendered *string         `json:"rendered_value,omitempty"`
}

type personChange struct {
	Person map[string]any `json:"person"`
}

var userUpdated = kit.Event[changed]("realm_user", "update").Sends(updateEvent{}).
	Forms(func(_ context.Context, v *directory.View, _ event.Client, p *changed) []any {
		switch {
		case p.Email != nil:
			return []any{kit.None{}} // per receiver
		case p.RoleChange != nil:
			return p.RoleChange.addresses(v, p.head)
		case p.Avatar != 0:
			u := v.User(p.Avatar)
			if u == nil {
				return nil
			}
			return []any{personChange{avatarOf(v, u)}}
		case p.Person != nil:
			return []any{personChange{p.currentPerson()}}
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
		then := r.View.User(r.User.ID) // later changes of the receiver's role are a roleChange
		saw, sees := seesAs(then, p.Email.UserID, p.Email.Was), seesAs(then, p.Email.UserID, p.Email.Is)
		now := r.Head.User(p.Email.UserID)
		sees = sees && permission.SeesEmail(r.User, now) // the address may have been hidden since
		if saw == sees && (!sees || !p.Email.Moved) {
			return nil, false
		}
		person := map[string]any{"user_id": p.Email.UserID, "delivery_email": nil}
		if sees {
			person["delivery_email"] = now.DeliveryEmail // the current address; the one in the event may be outdated
		}
		return personChange{person}, true
	})

// outdated reports whether the address in the event has changed since. A later event contains the current address. This
// event could reveal an address that has since been hidden to queues that lag behind.
func (p *changed) outdated(r event.Receiver) bool {
	id := p.Avatar
	if _, moved := p.Person["new_email"]; moved {
		id = p.personID()
	}
	if id == 0 {
		return false
	}
	then, now := r.View.User(id), r.Head.User(id)
	return then == nil || now == nil || permission.APIEmail(r.View, then) != permission.APIEmail(r.Head, now)
}

// currentPerson returns Person with the current address.
func (p *changed) currentPerson() map[string]any {
	now := p.head.User(p.personID())
	if _, named := p.Person["email"]; !named || now == nil {
		return p.Person
	}
	person := maps.Clone(p.Person)
	person["email"] = permission.APIEmail(p.head, now)
	return person
}

// personID returns the ID of the user that Person describes.
func (p *changed) personID() user.ID {
	f, _ := p.Person["user_id"].(float64) // numbers decoded from the log are float64
	return user.ID(f)
}

// seesAs reports whether reader could see the email address of the user of with the given email_address_visibility.
func seesAs(reader *user.User, of user.ID, visibility int) bool {
	return permission.SeesEmail(reader, &user.User{ID: of, Settings: user.Settings{EmailAddressVisibility: visibility}})
}

// avatarOf returns a change of u's avatar. Unlike records and messages, it contains the URLs for clients that compute
// them too.
func avatarOf(v *directory.View, u *user.User) map[string]any {
	return map[string]any{
		"user_id": u.ID, "avatar_url": permission.AvatarURL(v, u, false), "avatar_url_medium": u.AvatarURL(domainOf(v), true),
		"avatar_source": u.AvatarSource, "avatar_version": u.AvatarVersion,
	}
}

// personOf returns a change of one key of a user's record. The value is the same for all receivers.
func personOf(id user.ID, key string, value any) changed {
	return changed{Person: map[string]any{"user_id": id, key: value}}
}

// Updated returns the event for changes made by another module; see ports.UserUpdates.
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

// settingEvent is a change of one personal setting.
type settingEvent struct {
	Property     string `json:"property"`
	Value        any    `json:"value"`
	LanguageName string `json:"language_name,omitempty"`
}

var settingUpdated = kit.Event[settingEvent]("user_settings", "update")
