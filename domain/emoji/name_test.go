package emoji_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
)

func TestCheckName(t *testing.T) {
	const letters, end = "Emoji names must contain only lowercase English letters, digits, spaces, dashes, and " +
		"underscores.", "Emoji names must end with either a letter or digit."
	for _, c := range []struct{ given, name, err string }{
		{"party", "party", ""},
		{"  party parrot 2 ", "party_parrot_2", ""},
		{"-_x", "-_x", ""},
		{"7", "7", ""},
		{strings.Repeat("a", 100), strings.Repeat("a", 100), ""},
		{"", "", "Emoji name is missing"},
		{"  ", "", "Emoji name is missing"},
		{strings.Repeat("a", 101), "", "Emoji name is too long (limit: 100 characters)"},
		{"Party", "", letters},
		{"par.ty", "", letters},
		{"a/b", "", letters},
		{"a:b", "", letters},
		{"é", "", letters},
		{"a\nb", "", letters},
		{"a\u200bb", "", letters},
		{"party_", "", end},
		{"party-", "", end},
		{"_", "", end},
	} {
		name, err := emoji.CheckName(c.given)
		if name != c.name || (err == nil) != (c.err == "") || err != nil &&
			(err.Error() != c.err || !errs.Is(err, errs.BadRequest)) {
			t.Errorf("%q: %q, %v; want %q, %s", c.given, name, err, c.name, c.err)
		}
	}
}
