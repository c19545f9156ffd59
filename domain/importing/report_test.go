package importing

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// Reasons have stable names, and an archive cannot make the report grow without end.
func TestReasons(t *testing.T) {
	r := NewReport()
	r.Count(Reactions, Skipped, "its emoji does not exist here: party parrot", "1")
	r.Count(Messages, Skipped, "of the type  x", "2")
	r.Count(Messages, Refused, "nobody knows", "3")
	r.Count(Files, Refused, NotAnswered, "4")
	got := ""
	for _, why := range r.Reasons() {
		got += fmt.Sprintf("%s (%s), ", why.Code, why.Detail)
	}
	if want := "not_downloaded (),  (), unknown_type (x), no_emoji (party parrot), "; got != want {
		t.Errorf("got %s", got)
	}
	for i := range 5000 {
		l := &Loss{Reason: fmt.Sprint("of the type ", i), Where: "here"}
		r.Passed(Messages, l)
		r.Retract(Messages, l)
		r.Passed(Messages, l)
	}
	all := NewReport()
	all.Join(r)
	if n := len(all.Reasons()); n > maxReasons+10 {
		t.Errorf("%d reasons", n)
	}
	if n := all.Of(Messages).Converted; n != 5000 {
		t.Errorf("%d messages", n)
	}
}

// What a report quotes of an archive is cut, and taken back as it was counted.
func TestReportCut(t *testing.T) {
	r, long := NewReport(), strings.Repeat("ö ", 1<<20)
	l := &Loss{Reason: "of the type " + long, Where: "x" + long}
	r.Passed(Messages, l)
	r.Passed(Messages, &Loss{Reason: l.Reason, Where: "y"})
	r.Retract(Messages, l)
	r.Note("The channel %q is called otherwise.", long)
	all := r.Reasons()
	if len(all) != 1 || all[0].Count != 1 || all[0].Code != "unknown_type" || len(all[0].Examples) != 1 ||
		all[0].Examples[0] != "y" {
		t.Errorf("got %.100v", all)
	}
	r.Passed(Messages, l)
	for _, text := range []string{all[0].Reason, r.Reasons()[0].Examples[1], r.Notes()[0]} {
		if n := utf8.RuneCountInString(text); n > 1000 || n < 990 || !strings.HasSuffix(text, "…") {
			t.Errorf("%d code points: %.40q", n, text)
		}
	}
}
