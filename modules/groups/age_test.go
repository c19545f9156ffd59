package groups_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/group"
)

// Members become full members by time, and by another waiting period; everybody is told who is one.
func TestFullMembersByAge(t *testing.T) {
	s := start(t)
	members := ids(s, "alice", "bob", "bot")
	told := func(op string) string {
		return fmt.Sprintf(`user_group/%s everyone {"group_id":%d,"user_ids":%s}`, op, group.FullMembers, members)
	}
	wait := func(days string, want ...string) {
		t.Helper()
		s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK()
		s.EventsOf("user_group", want...)
	}
	wait("2", told("remove_members"))
	wait("3")
	s.Clock.Advance(3*24*time.Hour - time.Second)
	s.RunJob("channels.ripening")
	s.EventsOf("user_group")
	s.Clock.Advance(time.Second)
	s.RunJob("channels.ripening")
	s.EventsOf("user_group", told("add_members"))
	wait("4", told("remove_members"))
	wait("1", told("add_members"))
}

// Who has become a full member, and of whom nobody has been told yet, is told of in time, once, whatever becomes of them meanwhile.
func TestFullMembersBeforeTheJobRuns(t *testing.T) {
	s := start(t)
	told := func(op string, g group.ID, who ...string) string {
		return fmt.Sprintf(`user_group/%s everyone {"group_id":%d,"user_ids":%s}`, op, g, ids(s, who...))
	}
	wait := func(days string, want ...string) {
		t.Helper()
		s.As("olga").Do("PATCH /realm", "waiting_period_threshold", days).OK()
		s.EventsOf("user_group", want...)
	}
	role := func(who, role string, want ...string) {
		t.Helper()
		s.As("olga").Do(fmt.Sprintf("PATCH /users/%d", s.UserID(who)), "role", role).OK()
		s.EventsOf("user_group", want...)
	}
	job := func(want ...string) {
		t.Helper()
		s.RunJob("channels.ripening")
		s.EventsOf("user_group", want...)
	}
	wait("3", told("remove_members", group.FullMembers, "alice", "bob", "bot"))
	s.Clock.Advance(3*24*time.Hour + 20*time.Second)
	role("alice", "300", told("remove_members", group.Members, "alice"), told("add_members", group.Moderators, "alice"))
	role("alice", "400", told("remove_members", group.Moderators, "alice"), told("add_members", group.Members, "alice"))
	wait("4") // nobody has been told that they were, and they are not
	s.Clock.Advance(24 * time.Hour)
	wait("2", told("add_members", group.FullMembers, "alice", "bob", "bot"))
	job()
	wait("10", told("remove_members", group.FullMembers, "alice", "bob", "bot"))
	s.Clock.Advance(6 * 24 * time.Hour)
	role("alice", "300", told("remove_members", group.Members, "alice"), told("add_members", group.Moderators, "alice"))
	s.As("olga").Do(fmt.Sprintf("DELETE /users/%d", s.UserID("bob"))).OK()
	s.EventsOf("user_group", told("remove_members", group.Members, "bob"))
	s.As("olga").Do(fmt.Sprintf("POST /users/%d/reactivate", s.UserID("bob"))).OK()
	s.EventsOf("user_group", told("add_members", group.Members, "bob"))
	job(told("add_members", group.FullMembers, "bob", "bot"))
	job()
	s.Clock.Advance(30 * 24 * time.Hour) // nobody has ripened since
	role("alice", "400", told("remove_members", group.Moderators, "alice"), told("add_members", group.FullMembers, "alice"), told("add_members", group.Members, "alice"))
	job()
}
