package zulip

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

// TestHistory checks that exactly those messages are readable for which there is a row.
func TestHistory(t *testing.T) {
	at := func(n int64) time.Time { return time.Unix(n, 0).UTC() }
	rows := map[int64][]int64{1: {7}, 2: {7, 8}, 3: {8}, 4: {7, 8}, 5: {7}}
	var messages, flags []string
	for id := int64(1); id <= 5; id++ {
		messages = append(messages,
			fmt.Sprintf(`{"id":%d,"sender":7,"recipient":1,"content":"x","date_sent":%d}`, id, id*10))
		for _, u := range rows[id] {
			flags = append(flags, fmt.Sprintf(`{"user_profile":%d,"message":%d,"flags_mask":1}`, u, id))
		}
	}
	s, _, err := opened(t, map[string]string{
		"realm.json": `{"zerver_realm":[{"id":2}],"zerver_userprofile":[{"id":7},{"id":8}],
			"zerver_stream":[{"id":3,"invite_only":true,"history_public_to_subscribers":false}],
			"zerver_recipient":[{"id":1,"type":2,"type_id":3}],
			"zerver_subscription":[{"user_profile":7,"recipient":1,"active":false},
				{"user_profile":8,"recipient":1,"active":true}]}`,
		"messages-000001.json": `{"zerver_message":[` + strings.Join(messages, ",") + `],"zerver_usermessage":[` +
			strings.Join(flags, ",") + `]}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	d, err := s.Scan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[importing.Key][]importing.Period{
		"7": {{From: at(10), To: at(30)}, {From: at(40), To: at(50).Add(time.Microsecond)}},
		"8": {{From: at(20), To: at(50)}},
	}
	for _, sub := range d.Subscriptions {
		if !slices.Equal(sub.Periods, want[sub.Person]) {
			t.Errorf("%s: got %v, want %v", sub.Person, sub.Periods, want[sub.Person])
		}
		for id := int64(1); id <= 5; id++ {
			readable := slices.ContainsFunc(sub.Periods, func(p importing.Period) bool {
				return !at(id*10).Before(p.From) && (p.To.IsZero() || at(id*10).Before(p.To))
			})
			if u := map[importing.Key]int64{"7": 7, "8": 8}[sub.Person]; readable != slices.Contains(rows[id], u) {
				t.Errorf("message %d is readable by %s: %v", id, sub.Person, readable)
			}
		}
	}
}
