package importing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/importing"
)

func TestTopics(t *testing.T) {
	at := time.Date(2024, 5, 22, 23, 0, 0, 0, time.UTC)
	topics := importing.NewTopics("Imported")
	long := strings.Repeat("x", 60)
	for _, c := range []struct {
		channel    importing.Key
		text, file string
		want       string
	}{
		{"a", "Lunch?\nPizza", "", "Lunch?"},
		{"a", "LUNCH?", "", "LUNCH? (2)"},
		{"b", "lunch?", "", "lunch?"},
		{"a", "imported", "", "imported (2)"},
		{"a", "\n", "plan.pdf", "plan.pdf"},
		{"a", "", "", "Thread of 2024-05-22"},
		{"a", long, "", long},
		{"a", long, "", strings.Repeat("x", 55) + "… (2)"},
	} {
		if got := topics.Thread(c.channel, c.text, c.file, at); got != c.want {
			t.Errorf("%q in %s: got %q, want %q", c.text, c.channel, got, c.want)
		}
	}
}

func TestMainTopic(t *testing.T) {
	at := time.Date(2024, 5, 22, 23, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		o    importing.Options
		want string
	}{
		{importing.Options{}, "imported"},
		{importing.Options{MainTopic: "old"}, "old"},
		{importing.Options{Split: "none"}, "imported"},
		{importing.Options{Split: "year"}, "2024"},
		{importing.Options{Split: "month", MainTopic: "old"}, "2024-05"},
	} {
		if got := c.o.Main("imported", at); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.o, got, c.want)
		}
	}
}

func TestList(t *testing.T) {
	for text, want := range map[string]int{`[1,"x",3]`: 1, `null`: 0, `7`: 1, `[]`: 0, `[null]`: 1} {
		var l importing.List[*int]
		if err := importing.Decode([]byte(text), &l); err != nil || l.Bad != want {
			t.Errorf("%s: %d malformed elements (%v), want %d", text, l.Bad, err, want)
		}
	}
}
