package messages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/realm"
)

// A starting node reads packed facts for most messages and rows for those that have changed since.
func TestFactsAfterRestart(t *testing.T) {
	s := startStored(t, realm.Module, accounts.Module, groups.Module, channels.Module, events.Module)
	first := post(s.Server, "alice", "general", "x", "hi")
	s.fill(first, 5000, "recipient_id")
	unread := func() map[string][]int64 {
		t.Helper()
		var got struct {
			Streams []struct {
				Topic string  `json:"topic"`
				IDs   []int64 `json:"unread_message_ids"`
			} `json:"streams"`
		}
		if err := json.Unmarshal([]byte(section(s.Server, "bob", "unread_msgs", unreadTypes)), &got); err != nil {
			t.Fatal(err)
		}
		topics := map[string][]int64{}
		for _, g := range got.Streams {
			topics[g.Topic] = g.IDs
		}
		return topics
	}
	all := unread()["x"]
	if len(all) != 5001 {
		t.Fatalf("%d are unread", len(all))
	}
	s.RunJob("messages.facts")

	// Change rows without recording the change; this shows which rows are read.
	s.exec("UPDATE messages SET topic = 'unseen', topic_key = 'unseen' WHERE id IN (?, ?)", all[10], all[11])
	s.Restart()
	if got := unread(); len(got) != 1 || len(got["x"]) != 5001 {
		t.Fatalf("rows were read: %d", len(got))
	}
	edit(s.Server, "alice", all[20], "topic", "y", "propagate_mode", "change_one", "send_notification_to_old_thread",
		"false", "send_notification_to_new_thread", "false").OK()
	edit(s.Server, "alice", all[21], "content", "hello").OK()
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", all[22])).OK()
	last := post(s.Server, "alice", "general", "z", "hi")
	for range 2 {
		s.Restart()
		if got := unread(); len(got) != 3 || len(got["x"]) != 4999 || len(got["y"]) != 1 || got["y"][0] != all[20] ||
			len(got["z"]) != 1 || got["z"][0] != last {
			t.Fatalf("%d topics, %d in x, y %v, z %v", len(got), len(got["x"]), got["y"], got["z"])
		}
		s.RunJob("messages.facts")
	}

	// Deleted messages are removed from packed facts even if no one reads these.
	facts := func() (text string) {
		t.Helper()
		if err := s.db.From(t.Context()).NewRaw("SELECT COALESCE(MAX(head), 'none') FROM message_facts").Scan(t.Context(),
			&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	named := post(s.Server, "alice", "general", "layoffs", "hi")
	unread()
	s.exec("UPDATE message_changes SET changed = changed || '1,'")
	s.RunJob("messages.changed facts")
	if got := facts(); !strings.Contains(got, "layoffs") {
		t.Errorf("not packed: %s", got)
	}
	s.As("olga").Do(fmt.Sprintf("DELETE /messages/%d", named)).OK()
	s.RunJob("messages.changed facts")
	if got := facts(); strings.Contains(got, "layoffs") || !strings.Contains(got, `"y"`) {
		t.Errorf("deleted: %s", got)
	}

	// Changing the whole topic exceeds the limit of recorded changes: all rows are read and packed again.
	if facts() == "none" {
		t.Error("nothing is packed")
	}
	edit(s.Server, "olga", all[30], "topic", "w", "propagate_mode", "change_all", "send_notification_to_old_thread",
		"false", "send_notification_to_new_thread", "false").OK()
	if got := facts(); got != "none" {
		t.Errorf("useless facts were kept: %s", got)
	}
	for range 2 {
		s.Restart()
		if got := unread(); len(got["x"]) != 0 || len(got["w"]) != 4997 || len(got["unseen"]) != 2 {
			t.Fatalf("%d topics, %d in w, unseen %v", len(got), len(got["w"]), got["unseen"])
		}
		s.RunJob("messages.facts")
	}
}
