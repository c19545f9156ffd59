package groups_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// groupServer is a server with groups and channels, all of them created by olga.
type groupServer struct {
	*kittest.Server
	made int
}

func startGroupServer(t *testing.T, url string) *groupServer {
	t.Helper()
	return &groupServer{Server: kittest.StartWith(t,
		kittest.Options{DatabaseURL: url, Config: "modules: {accounts: {password_memory_kib: 64, password_passes: 1}}"},
		realm.Module, accounts.Module, channels.Module, groups.Module, events.Module, messages.Module)}
}

func (s *groupServer) olga(call string, params ...string) *kittest.Response {
	return s.As("olga").Do(call, params...)
}

func (s *groupServer) group(params ...string) int64 {
	s.T.Helper()
	s.made++
	return s.olga("POST /user_groups/create",
		append([]string{"name", fmt.Sprint("g", s.made), "description", "", "members", ids(s.Server, "bob")},
			params...)...).OK().Int("group_id")
}

func (s *groupServer) channel(params ...string) int64 {
	s.T.Helper()
	s.made++
	return s.olga("POST /channels/create", append([]string{"name", fmt.Sprint("c", s.made), "subscribers",
		ids(s.Server, "olga"), "invite_only", "true", "history_public_to_subscribers", "true"}, params...)...).OK().Int("id")
}

func (s *groupServer) deactivate(g int64) *kittest.Response {
	return s.olga(fmt.Sprintf("POST /user_groups/%d/deactivate", g))
}

func (s *groupServer) reactivate(g int64, params ...string) *kittest.Response {
	return s.olga(fmt.Sprintf("PATCH /user_groups/%d", g), append([]string{"deactivated", "false"}, params...)...)
}

func (s *groupServer) archive(c int64) *kittest.Response {
	return s.olga(fmt.Sprintf("DELETE /streams/%d", c))
}

func (s *groupServer) unarchive(c int64, params ...string) *kittest.Response {
	return s.olga(fmt.Sprintf("PATCH /streams/%d", c), append([]string{"is_archived", "false"}, params...)...)
}

// values returns the forms in which a setting can name a group.
func (s *groupServer) values(g int64) map[string]string {
	return map[string]string{
		"named":        fmt.Sprint(g),
		"with a user":  fmt.Sprintf(`{"direct_members":%s,"direct_subgroups":[%d]}`, ids(s.Server, "mona"), g),
		"with a group": fmt.Sprintf(`{"direct_members":[],"direct_subgroups":[4,%d]}`, g),
	}
}

func (s *groupServer) expectRefused(a *kittest.Response, why string) {
	s.T.Helper()
	a.Is(400, fmt.Sprintf(`{"result":"error","code":"BAD_REQUEST","msg":%q}`, "User group is deactivated: "+why))
	s.NoEvents()
}

// A channel cannot be unarchived while one of its permissions names a group that was deactivated in the meantime.
func TestUnarchivedWithDeactivatedGroup(t *testing.T) {
	s := startGroupServer(t, "")
	for _, r := range group.Rules(group.OfStream) {
		g := s.group()
		name := fmt.Sprint("g", s.made)
		for form, value := range s.values(g) {
			c := s.channel(r.Name, value)
			s.deactivate(g).Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "")
			s.archive(c).OK()
			s.deactivate(g).OK() // archived channels do not count
			s.Skip()
			why := fmt.Sprintf("'%s' names '%s'.", r.Name, name)
			s.expectRefused(s.unarchive(c), why)
			s.expectRefused(s.unarchive(c, "new_name", "another name"), why)
			s.expectRefused(s.unarchive(c, r.Name, `{"new":`+value+`}`), why) // the request changes nothing
			other := "can_subscribe_group"
			if r.Name == other {
				other = "can_add_subscribers_group"
			}
			s.expectRefused(s.unarchive(c, other, `{"new":4}`), why)
			a := s.olga(fmt.Sprintf("GET /streams/%d", c)).OK()
			if a.Get("stream.is_archived") != true || strings.Contains(a.Body, "another name") {
				t.Errorf("%s %s: after the refusals: %s", r.Name, form, a.Body)
			}
			if form == "named" {
				s.unarchive(c, r.Name, `{"new":4}`).OK() // the same request replaces the value
				s.reactivate(g).OK()
			} else {
				s.reactivate(g).OK()
				s.unarchive(c).OK()
				s.archive(c).OK()
			}
			s.Skip()
		}
	}
}

// Regression test: no one keeps access to a channel through a deactivated group.
func TestDeactivatedGroupGrantsNothing(t *testing.T) {
	s := startGroupServer(t, "")
	g := s.group()
	c := s.channel("can_subscribe_group", fmt.Sprint(g), "can_send_message_group", fmt.Sprint(g))
	at := fmt.Sprintf("GET /streams/%d", c)
	s.As("bob").Do(at).OK()
	s.archive(c).OK()
	s.deactivate(g).OK()
	s.unarchive(c).Error(400, "BAD_REQUEST", "User group is deactivated")
	s.unarchive(c, "can_subscribe_group", `{"new":1}`).Error(400, "BAD_REQUEST", "'can_send_message_group'")
	s.unarchive(c, "can_subscribe_group", `{"new":1}`, "can_send_message_group", `{"new":7}`).OK()
	s.As("bob").Do(at).Error(400, "BAD_REQUEST", "Invalid channel ID")
	s.As("bob").Do("POST /messages", "type", "channel", "to", fmt.Sprint(c), "topic", "t", "content", "x").Error(400,
		"STREAM_DOES_NOT_EXIST", "")
}

// A group cannot be reactivated while it names or contains a group that was deactivated in the meantime. It may name
// itself.
func TestReactivatedWithDeactivatedGroup(t *testing.T) {
	s := startGroupServer(t, "")
	for _, r := range group.Rules(group.OfGroup) {
		f := s.group()
		name := fmt.Sprint("g", s.made)
		for form, value := range s.values(f) {
			h := s.group(r.Name, value)
			s.deactivate(f).Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "")
			s.deactivate(h).OK()
			s.deactivate(f).OK() // deactivated groups do not count
			s.Skip()
			why := fmt.Sprintf("'%s' names '%s'.", r.Name, name)
			s.expectRefused(s.reactivate(h), why)
			s.expectRefused(s.reactivate(h, "name", "another name", "description", "another"), why)
			s.expectRefused(s.reactivate(h, r.Name, `{"new":`+value+`}`), why)
			if a := s.olga("GET /user_groups"); a.Has(fmt.Sprintf("user_groups.%d", 8)) || strings.Contains(a.Body, "another") {
				t.Errorf("%s %s: after the refusals: %s", r.Name, form, a.Body)
			}
			s.olga(fmt.Sprintf("PATCH /user_groups/%d", h), "description", "it may be edited all the same").OK()
			if form == "named" {
				s.reactivate(h, r.Name, fmt.Sprintf(`{"new":{"direct_members":[],"direct_subgroups":[4,%d]}}`, h)).OK()
				s.reactivate(f).OK()
			} else {
				s.reactivate(f).OK()
				s.reactivate(h).OK()
			}
			s.deactivate(h).OK() // even though it names itself
			if form == "named" {
				s.reactivate(h).OK()
				s.deactivate(h).OK()
			}
			s.Skip()
		}
		s.deactivate(f).OK()
	}
	inner := s.group()
	outer := s.group("subgroups", fmt.Sprintf("[4,%d]", inner))
	s.deactivate(outer).OK()
	s.deactivate(inner).OK()
	s.Skip()
	s.expectRefused(s.reactivate(outer), fmt.Sprintf("'g%d' is a subgroup.", s.made-1))
	s.olga(fmt.Sprintf("POST /user_groups/%d/subgroups", outer), "delete", fmt.Sprintf("[%d]", inner)).OK()
	s.reactivate(outer).OK()
}

// TestWhatCountsAsUse checks which uses of a group prevent its deactivation, for every form in which a setting can name
// it.
func TestWhatCountsAsUse(t *testing.T) {
	s := startGroupServer(t, "")
	for form := range s.values(0) {
		for _, c := range []struct {
			what string
			use  func(g int64, value string) (over func()) // over ends the use
		}{
			{"a setting of the realm", func(_ int64, value string) func() {
				s.olga("PATCH /realm", "can_invite_users_group", `{"new":`+value+`}`).OK()
				return func() { s.olga("PATCH /realm", "can_invite_users_group", `{"new":6}`).OK() }
			}},
			{"a setting of a channel", func(_ int64, value string) func() {
				c := s.channel("can_resolve_topics_group", value)
				return func() { s.archive(c).OK() }
			}},
			{"a setting of an unarchived channel", func(_ int64, value string) func() {
				c := s.channel("can_resolve_topics_group", value)
				s.archive(c).OK()
				s.unarchive(c).OK()
				return func() { s.archive(c).OK() }
			}},
			{"a setting of a group", func(_ int64, value string) func() {
				h := s.group("can_leave_group", value)
				return func() { s.deactivate(h).OK() }
			}},
			{"a group that holds it", func(g int64, _ string) func() {
				h := s.group("subgroups", fmt.Sprintf("[%d]", g))
				return func() { s.deactivate(h).OK() }
			}},
			{"a reactivated group that contains it", func(g int64, _ string) func() {
				h := s.group("subgroups", fmt.Sprintf("[%d]", g))
				s.deactivate(h).OK()
				s.reactivate(h).OK()
				return func() { s.deactivate(h).OK() }
			}},
		} {
			g := s.group()
			value := s.values(g)[form]
			over := c.use(g, value)
			// Its own settings do not count.
			s.olga(fmt.Sprintf("PATCH /user_groups/%d", g), "can_join_group", fmt.Sprintf(`{"new":%d}`, g)).OK()
			// Deactivating a member does not affect the group.
			s.olga(fmt.Sprintf("DELETE /users/%d", s.UserID("mona"))).OK()
			s.Skip()
			if a := s.deactivate(g); a.Status != 400 || a.Get("code") != "CANNOT_DEACTIVATE_GROUP_IN_USE" {
				t.Errorf("%s, %s: %s", c.what, form, a.Body)
			}
			s.NoEvents()
			s.olga(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("mona"))).OK()
			over()
			if a := s.deactivate(g); a.Status != 200 {
				t.Errorf("%s, %s, after the use ended: %s", c.what, form, a.Body)
			}
		}
	}
}

// A reactivated realm has its former settings, since no group can be deactivated while the realm is.
func TestReactivatedRealm(t *testing.T) {
	s := startGroupServer(t, "")
	g := s.group()
	s.olga("PATCH /realm", "can_invite_users_group", fmt.Sprintf(`{"new":%d}`, g)).OK()
	s.olga("POST /realm/deactivate").OK()
	s.deactivate(g).Error(401, "REALM_DEACTIVATED", "")
	if err := s.Ports.States.Reactivate(t.Context(), s.Realm); err != nil {
		t.Fatal(err)
	}
	s.LogIn("olga")
	s.deactivate(g).Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "")
}

// Whichever change is made first, and on whichever node, the other is rejected: no setting in use ever names a
// deactivated group.
func TestRaceWithDeactivatedGroup(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := startGroupServer(t, url)
		there := &groupServer{Server: s.Another()}
		for _, c := range []struct {
			what string
			make func() (g int64, use func() *kittest.Response)
		}{
			{"unarchived", func() (int64, func() *kittest.Response) {
				g := s.group()
				c := s.channel("can_subscribe_group", s.values(g)["with a user"])
				s.archive(c).OK()
				return g, func() *kittest.Response { return s.unarchive(c) }
			}},
			{"reactivated with a setting", func() (int64, func() *kittest.Response) {
				g := s.group()
				h := s.group("can_mention_group", fmt.Sprint(g))
				s.deactivate(h).OK()
				return g, func() *kittest.Response { return s.reactivate(h) }
			}},
			{"reactivated with a subgroup", func() (int64, func() *kittest.Response) {
				g := s.group()
				h := s.group("subgroups", fmt.Sprintf("[%d]", g))
				s.deactivate(h).OK()
				return g, func() *kittest.Response { return s.reactivate(h) }
			}},
			{"named by a new channel", func() (int64, func() *kittest.Response) {
				g := s.group()
				s.made++
				name := fmt.Sprint("c", s.made)
				return g, func() *kittest.Response {
					return s.olga("POST /channels/create", "name", name, "subscribers", "[]", "can_send_message_group", fmt.Sprint(g))
				}
			}},
			{"held", func() (int64, func() *kittest.Response) {
				g, h := s.group(), s.group()
				return g, func() *kittest.Response {
					return s.olga(fmt.Sprintf("POST /user_groups/%d/subgroups", h), "add", fmt.Sprintf("[%d]", g))
				}
			}},
			{"set", func() (int64, func() *kittest.Response) {
				g := s.group()
				return g, func() *kittest.Response {
					return s.olga("PATCH /realm", "can_create_groups",
						fmt.Sprintf(`{"new":{"direct_members":%s,"direct_subgroups":[%d]}}`, ids(s.Server, "olga"), g))
				}
			}},
		} {
			for i := range 5 {
				g, use := c.make()
				var used, ended *kittest.Response
				var all sync.WaitGroup
				all.Go(func() { used = use() })
				all.Go(func() { ended = there.deactivate(g) })
				all.Wait()
				switch {
				case used.Status == 200:
					ended.Error(400, "CANNOT_DEACTIVATE_GROUP_IN_USE", "")
				case ended.Status == 200:
					used.Error(400, "BAD_REQUEST", "User group is deactivated")
				default:
					t.Errorf("%s, %d: used %s, ended %s", c.what, i, used.Body, ended.Body)
				}
			}
		}
	})
}
