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
