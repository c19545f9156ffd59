package topic

import (
	"strings"
	"testing"
)

func TestCheckVisibility(t *testing.T) {
	for p, ok := range map[Visibility]bool{-1: false, None: true, Muted: true, Unmuted: true, Followed: true, 4: false} {
		if err := CheckVisibility(p); (err == nil) != ok {
			t.Errorf("%d: %v", p, err)
		}
	}
}

func TestCheckNamed(t *testing.T) {
	long := strings.Repeat("ä", MaxLength)
	for _, c := range []struct {
		sent, want string
		ok         bool
	}{
		{" lunch ", "lunch", true}, {"", "", true}, {"(no topic)", "", true}, {EmptyName, "", true}, {long, long, true},
		{" " + long + " ", long, true},
		{long + "x", "", false}, {"a\x00b", "", false}, {"\xff", "", false},
	} {
		if got, err := CheckNamed(c.sent); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q: %q, %v", c.sent, got, err)
		}
	}
}
