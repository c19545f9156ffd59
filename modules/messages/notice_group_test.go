package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

// Users are notified when another user adds them to or removes them from a group.
func TestNoticeOfGroup(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, channels.Module, groups.Module, messages.Module, events.Module)
	direct := `[["is","dm"]]`
	id := s.As("alice").Do("POST /user_groups/create", "name", "Core *team*", "description", "", "members",
		ids(s, "mona")).OK().Int("group_id")
	call := fmt.Sprintf("POST /user_groups/%d/members", id)
	s.As("alice").Do(call, "add", ids(s, "alice", "bob", "bot", "guest")).OK()
	s.As("alice").Do(call, "add", ids(s, "adam"), "delete", ids(s, "bob", "mona")).OK()
	s.As("bob").Do(call, "add", ids(s, "bob")).Error(400, "BAD_REQUEST", "Insufficient permission")
	by := fmt.Sprintf(": @_**Alice|%d** ", s.UserID("alice"))
	added, removed := by+"added you to the group **Core &#42;team&#42;**.",
		by+"removed you from the group **Core &#42;team&#42;**."
	for who, want := range map[string]string{
		"alice": "", "bot": "", "olga": "", "guest": added, "adam": added, "mona": removed,
		"bob": added + "\n---\n" + removed,
	} {
		if got := texts(s, who, direct); got != want {
			t.Errorf("%s received %q, want %q", who, got, want)
		}
	}
	if m := newestOf(s, "guest", direct, true)[0]; len(m.Flags) != 0 ||
		!strings.Contains(m.Content, "<strong>Core &#42;team&#42;</strong>") {
		t.Errorf("the guest has %+v", m)
	}
	s.As("alice").Do(fmt.Sprintf("PATCH /user_groups/%d", id), "name", "Core").OK()
	s.As("alice").Do(call, "delete", ids(s, "adam")).OK()
	if m := newestOf(s, "adam", direct, true)[1]; !strings.Contains(m.Content,
		`class="user-group-mention silent" data-user-group-id="`) {
		t.Errorf("adam has %+v", m)
	}
}
