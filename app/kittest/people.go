package kittest

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// person is one of the predefined users.
type person struct {
	name, full string
	role       user.Role
	bot        user.BotType
	id         user.ID
	key        string
}

func (p *person) email() string { return p.name + "@example.com" }

// Password is the password of all users.
const Password = "correct horse battery"

func people() []*person {
	return []*person{
		{name: "alice", full: "Alice", role: user.Member},
		{name: "bob", full: "Bob", role: user.Member},
		{name: "olga", full: "Olga", role: user.Owner},
		{name: "adam", full: "Adam", role: user.Admin},
		{name: "mona", full: "Mona", role: user.Moderator},
		{name: "guest", full: "Gus Guest", role: user.Guest},
		{name: "bot", full: "Helper Bot", role: user.Member, bot: user.GenericBot},
	}
}

// room is one of the predefined channels.
type room struct {
	name    string
	private bool
	members []string
	id      channel.ID
}

func rooms() []*room {
	return []*room{
		{name: "general", members: []string{"alice", "bob", "olga", "guest", "bot"}},
		{name: "secret", private: true, members: []string{"alice", "olga"}},
	}
}

func (s *Server) person(name string) *person {
	s.T.Helper()
	i := slices.IndexFunc(s.people, func(p *person) bool { return p.name == name })
	if i < 0 {
		s.T.Fatalf("there is no %q; there are alice, bob, olga, adam, mona, guest and bot", name)
	}
	return s.people[i]
}

// UserID returns a user's ID.
func (s *Server) UserID(name string) user.ID { s.T.Helper(); return s.person(name).id }

// ChannelID returns a channel's ID.
func (s *Server) ChannelID(name string) channel.ID {
	s.T.Helper()
	i := slices.IndexFunc(s.rooms, func(r *room) bool { return r.name == name })
	if i < 0 {
		s.T.Fatalf("there is no channel %q; there are general and secret", name)
	}
	return s.rooms[i].id
}

// LogIn issues a new key to a user, which As then uses. Reactivated users need one, since they have no key.
func (s *Server) LogIn(name string) {
	s.T.Helper()
	key, err := s.Ports.Accounts.IssueKey(
		s.T.Context(),
		user.Actor{Realm: s.Realm, System: true, Client: "kittest"},
		s.UserID(name),
	)
	s.must("create a key for "+name, err)
	s.person(name).key = key
}

// Actor returns a user as an actor.
func (s *Server) Actor(name string) user.Actor {
	s.T.Helper()
	p := s.person(name)
	return user.Actor{Realm: s.Realm, User: p.id, Role: p.role, Bot: p.bot, Client: "kittest", URL: s.URL}
}

// populate creates the users and channels through the modules under test. Where stand-ins replace modules, it runs the
// hook events that these would run.
func (s *Server) populate(ctx context.Context, standin standins) {
	s.T.Helper()
	if !standin.realm {
		s.must("create the realm", s.App.Ports.Work.Do(ctx, func(ctx context.Context) (err error) {
			s.Realm, err = s.App.Ports.Realms.Create(ctx, "Stoics", "")
			return err
		}))
	}
	by := user.Actor{Realm: s.Realm, System: true, Client: "kittest"}
	if !standin.accounts {
		s.createPeople(ctx, by)
		if standin.channels { // its facts refer to users: reload them with the right IDs
			s.Restart()
		}
	}
	if !standin.realm && !standin.accounts {
		s.As("olga").Do("PATCH /realm", "send_channel_events_messages", "false").OK()
	}
	for _, r := range s.rooms {
		var members []user.ID
		for _, name := range r.members {
			members = append(members, s.UserID(name))
		}
		if standin.channels {
			s.must("open periods", s.subscribed(ctx, r.id, idset.Of(members...)))
			continue
		}
		id, err := s.App.Ports.Channels.Create(ctx, s.Actor("olga"), ports.NewChannel{
			Name: r.name, Private: r.private, HistoryPublic: true,
		}, members)
		s.must("create the channel "+r.name, err)
		r.id = id
	}
}

func (s *Server) createPeople(ctx context.Context, by user.Actor) {
	s.T.Helper()
	for _, p := range s.people {
		n := ports.NewUser{Email: p.email(), FullName: p.full, Password: Password, Role: p.role, BotType: p.bot}
		if p.bot != user.Human {
			n.Password, n.BotOwner = "", s.UserID("alice")
		}
		id, err := s.App.Ports.Accounts.Create(ctx, by, n)
		s.must("create "+p.name, err)
		p.id = id
		p.key, err = s.App.Ports.Accounts.IssueKey(ctx, by, id)
		s.must("create a key for "+p.name, err)
	}
	s.must("run realm.OwnerCreated", s.App.Ports.Work.Do(ctx, func(ctx context.Context) error {
		return s.App.Ports.Hooks.Run(ctx, &realm.OwnerCreated{Realm: s.Realm})
	}))
}

// subscribed runs a hook event of the module channels, for modules that record what users have received.
func (s *Server) subscribed(ctx context.Context, c channel.ID, users user.Set) error {
	p := s.App.Ports
	return p.Work.Do(ctx, func(ctx context.Context) error {
		last, err := p.Log.Lock(ctx, s.Realm)
		if err != nil {
			return err
		}
		return p.Hooks.Run(ctx, &channel.Subscribed{Realm: s.Realm, Channel: c, Users: users, Seq: int64(last)})
	})
}

func (s *Server) must(what string, err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatalf("kittest: %s: %v", what, err)
	}
}
