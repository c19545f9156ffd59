package narrow_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/narrow"
)

func TestCheckSpectator(t *testing.T) {
	const public = `{"operator":"channels","operand":"web-public"}`
	for text, allowed := range map[string]bool{
		`[` + public + `]`: true,
		`[["streams","web-public"],["channel","a"],["topic","b"],["sender","c"],["has","link"],["search","d"],["is",` +
			`"resolved"]]`: true,
		`[` + public + `,{"operator":"id","operand":1},{"operator":"near","operand":1},{"operator":"with","operand":1}]`: true,
		`[]`:                false,
		`[["channel","a"]]`: false,
		`[{"operator":"channels","operand":"web-public","negated":true}]`: false,
		`[["channels","public"]]`:                        false,
		`[` + public + `,["is","unread"]]`:               false,
		`[` + public + `,["is","starred"]]`:              false,
		`[` + public + `,["in","home"]]`:                 false,
		`[` + public + `,["dm","a@b.c"]]`:                false,
		`[` + public + `,["dm-including","a"]]`:          false,
		`[` + public + `,["mentions","a"]]`:              false,
		`[` + public + `,{"operator":"is","operand":3}]`: false,
	} {
		terms, err := narrow.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := narrow.CheckSpectator(terms); allowed != (err == nil) || err != nil && !errs.Is(err, errs.Unauthorized) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
