package importing

import (
	"fmt"
	"testing"
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
