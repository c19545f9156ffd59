package kittest

import (
	"context"
	"reflect"
	"slices"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// standins records which core modules kittest replaces: those whose port no module under test provides.
type standins struct{ realm, accounts, channels bool }

func standinsFor(modules []kit.Module) standins {
	provided := func(t reflect.Type) bool {
		return slices.ContainsFunc(modules, func(m kit.Module) bool { return slices.Contains(m.Provides, t) })
	}
	return standins{
		realm:    !provided(reflect.TypeFor[ports.Realms]()),
		accounts: !provided(reflect.TypeFor[ports.Authenticator]()),
		channels: !provided(reflect.TypeFor[ports.Channels]()),
	}
}

// modules returns the stand-ins, which hold their facts in memory.
func (st standins) modules(s *Server) []kit.Module {
	facts := &facts{s}
	var out []kit.Module
	if st.realm {
		s.Realm = 1
		out = append(out, kit.Provide("standin_realm", "Stands in for realm.", kit.None{},
			func(kit.None, struct{ fx.In }) (kit.Parts, ports.Realms, error) {
				return part("realm", facts.loadRealm), facts, nil
			}))
	}
	if st.accounts {
		for i, p := range s.people {
			p.id, p.key = user.ID(i+1), p.name+"-has-this-api-key-in-tests"
		}
		out = append(out, kit.Provide("standin_accounts", "Stands in for accounts.", kit.None{},
			func(kit.None, standinNeeds) (kit.Parts, ports.Authenticator, error) {
				return part("users", facts.loadUsers), facts, nil
			}))
	}
	if st.channels {
		for i, r := range s.rooms {
			r.id = channel.ID(i + 1)
		}
		out = append(out, kit.Define("standin_channels", "Stands in for channels.", kit.None{},
			func(kit.None, struct{ fx.In }) (kit.Parts, error) {
				return part("channels", facts.loadChannels), nil
			}))
	}
	return out
}

type standinNeeds struct{ fx.In }

func part(name string, load func(context.Context, realm.ID, *directory.Builder) error) kit.Parts {
	return kit.Parts{Directory: []directory.Part{{Name: name, Load: load}}}
}

// facts provides the realm described in doc.go.
type facts struct{ s *Server }

// Resolve returns the only realm.
func (f *facts) Resolve(context.Context, string) (realm.ID, error) { return f.s.Realm, nil }

// All returns the only realm.
func (f *facts) All(context.Context) ([]realm.ID, error) { return []realm.ID{f.s.Realm}, nil }

// Active returns the only realm.
func (f *facts) Active(ctx context.Context) ([]realm.ID, error) { return f.All(ctx) }

// Create is not supported.
func (f *facts) Create(context.Context, string, string) (realm.ID, error) {
	return 0, errs.Bad("the stand-in for the module realm has only one realm; pass the module realm to kittest")
}

// Authenticate accepts the predefined users' keys.
func (f *facts) Authenticate(_ context.Context, r realm.ID, email, key string) (user.Actor, error) {
	for _, p := range f.s.people {
		if p.email() == email && p.key == key {
			return user.Actor{Realm: r, User: p.id, Role: p.role, Bot: p.bot}, nil
		}
	}
	return user.Actor{}, errs.New(errs.Unauthorized, "Invalid API key")
}

// ByKey accepts the predefined users' keys.
func (f *facts) ByKey(_ context.Context, r realm.ID, key string) (user.Actor, error) {
	for _, p := range f.s.people {
		if p.key == key {
			return user.Actor{Realm: r, User: p.id, Role: p.role, Bot: p.bot}, nil
		}
	}
	return user.Actor{}, errs.New(errs.InvalidAPIKey, "Invalid API key")
}

// Used does nothing.
func (f *facts) Used(user.Actor) {}

func (f *facts) loadRealm(_ context.Context, r realm.ID, b *directory.Builder) error {
	if r == f.s.Realm {
		set := realm.Defaults()
		set.Name = "Stoics"
		b.Realm(&realm.Realm{ID: r, UUID: "00000000-0000-4000-8000-000000000001", Created: Epoch(), Settings: set})
	}
	return nil
}

func (f *facts) loadUsers(_ context.Context, r realm.ID, b *directory.Builder) error {
	if r != f.s.Realm {
		return nil
	}
	for _, p := range f.s.people {
		u := &user.User{
			ID: p.id, DeliveryEmail: p.email(), FullName: p.full, Role: p.role, Active: true, BotType: p.bot,
			Joined: Epoch().AddDate(-1, 0, 0), AvatarSource: "G", AvatarVersion: 1, Settings: user.Defaults(),
		}
		if u.IsBot() {
			u.BotOwner = f.s.people[0].id
		}
		b.User(u)
	}
	return nil
}

func (f *facts) loadChannels(_ context.Context, r realm.ID, b *directory.Builder) error {
	if r != f.s.Realm {
		return nil
	}
	for _, room := range f.s.rooms {
		b.Channel(&channel.Channel{
			ID: room.id, Name: room.name, Created: Epoch(), Creator: f.s.UserID("olga"), Private: room.private,
			HistoryPublic: true,
			TopicsPolicy:  "inherit", Permissions: permissions(f.s.UserID("olga")),
		})
		for _, name := range room.members {
			b.Subscriptions(f.s.UserID(name), room.id)
		}
	}
	return nil
}

// permissions returns a channel's default permissions.
func permissions(creator user.ID) map[string]group.Setting {
	return map[string]group.Setting{
		"can_add_subscribers_group":              group.Named(group.Nobody),
		"can_administer_channel_group":           {Members: user.Set{creator}},
		"can_create_topic_group":                 group.Named(group.Everyone),
		"can_delete_any_message_group":           group.Named(group.Nobody),
		"can_delete_own_message_group":           group.Named(group.Nobody),
		"can_move_messages_out_of_channel_group": group.Named(group.Nobody),
		"can_move_messages_within_channel_group": group.Named(group.Nobody),
		"can_remove_subscribers_group":           group.Named(group.Administrators),
		"can_resolve_topics_group":               group.Named(group.Nobody),
		"can_send_message_group":                 group.Named(group.Everyone),
		"can_subscribe_group":                    group.Named(group.Nobody),
	}
}
