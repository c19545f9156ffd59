package oracle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// Without a waiting period, new users are full members immediately, however they joined, and clients are notified of
// that.
func TestNewUsersAreFullMembers(t *testing.T) {
	s := sequential(t)
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	link := s.As("olga").Do("POST /invites/multiuse").OK().String("invite_link")
	parts := strings.Split(strings.TrimSuffix(link, "/"), "/")
	const password = "long enough 1"
	listeners := []*listener{listen(s.As("alice"), "alice", everyCapability()),
		listen(s.As("guest"), "guest", oldClient())}
	var made int64
	for _, row := range []struct {
		name  string
		do    func() int64
		added bool
	}{
		{"made by an administrator", func() int64 {
			made = s.As("olga").Do("POST /users", "email", "made@example.com", "full_name", "Made", "password",
				password).OK().Int("user_id")
			return made
		}, true},
		{"their first login", func() int64 {
			s.Anonymous().Do("POST /fetch_api_key", "username", "made@example.com", "password", password).OK()
			return made
		}, false},
		{"invited", func() int64 {
			return s.Anonymous().Do("POST /join", "key", parts[len(parts)-1], "email", "asked@example.com", "full_name", "Asked",
				"password", password).OK().Int("user_id")
		}, true},
		{"signed up", func() int64 {
			return s.Anonymous().Do("POST /join", "realm", "", "email", "came@example.com", "full_name", "Came", "password",
				password).OK().Int("user_id")
		}, true},
		{"a bot", func() int64 {
			return s.As("alice").Do("POST /bots", "full_name", "Beep", "short_name", "beep").OK().Int("user_id")
		}, true},
		{"by the command line", func() int64 {
			id, err := s.Ports.Accounts.Create(t.Context(), user.Actor{Realm: s.Realm, System: true},
				ports.NewUser{Email: "ann@example.com", FullName: "Ann", Password: password, Role: user.Member})
			if err != nil {
				t.Fatal(err)
			}
			return int64(id)
		}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := s.In(t)
			s.Skip()
			id := row.do()
			var want []string
			if row.added {
				for _, g := range []group.ID{group.FullMembers, group.Members} {
					want = append(want, fmt.Sprintf(`user_group/add_members everyone {"group_id":%d,"user_ids":[%d]}`, g, id))
				}
			}
			s.EventsOf("user_group", want...)
			for _, l := range listeners {
				if err := l.follow(); err != nil {
					t.Fatal(err)
				}
				if bad := l.compare(); len(bad) > 0 {
					t.Errorf("%s", strings.Join(bad, "\n"))
				}
			}
		})
	}
}
