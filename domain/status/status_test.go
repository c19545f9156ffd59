package status

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
)

// emojis contains the Unicode emoji smile and car, the custom emoji party, and the deactivated custom emoji old.
type emojis struct{}

func (emojis) Code(name string) (string, bool) {
	code, ok := map[string]string{"smile": "1f642", "car": "1f697"}[name]
	return code, ok
}

func (emojis) Name(code string) (string, bool) {
	name, ok := map[string]string{"1f642": "smile", "1f697": "car"}[code]
	return name, ok
}

func (emojis) Custom(name string) (string, bool) { return "7", name == "party" }

func (emojis) ByCode(code string) (string, bool, bool) {
	name, ok := map[string]string{"7": "party", "8": "old"}[code]
	return name, name == "party", ok
}

func until(s Status, end int64) Status {
	s.End = end
	return s
}

func TestWith(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	at := func(s string) *string { return &s }
	end := func(seconds int64) *int64 { return &seconds }
	smile := Status{Text: "here", EmojiName: "smile", EmojiCode: "1f642", EmojiType: message.UnicodeEmoji}
	car := func(text string) Status { return Status{text, "car", "1f697", message.UnicodeEmoji, 0} }
	for name, c := range map[string]struct {
		c    Change
		want Status
		fail string
	}{
		"nothing": {Change{}, smile, ""},
		"text":    {Change{Text: at("  there\n")}, Status{"there", "smile", "1f642", message.UnicodeEmoji, 0}, ""},
		"no text": {Change{Text: at(" ")}, Status{"", "smile", "1f642", message.UnicodeEmoji, 0}, ""},
		"longest text": {Change{Text: at(" " + strings.Repeat("ä", 60))},
			Status{strings.Repeat("ä", 60), "smile", "1f642", message.UnicodeEmoji, 0}, ""},
		"too long": {Change{Text: at(strings.Repeat("ä", 61))}, smile,
			"status_text is too long (limit: 60 characters)"},
		"nul":      {Change{Text: at("a\x00b")}, smile, "Invalid character"},
		"no emoji": {Change{EmojiName: at("")}, Status{Text: "here"}, ""},
		"no emoji, but a code": {Change{EmojiName: at(""), EmojiCode: at("1f697"), EmojiType: at(message.UnicodeEmoji)},
			Status{Text: "here"}, ""},
		"by name":           {Change{EmojiName: at("car")}, car("here"), ""},
		"by name and code":  {Change{EmojiName: at("car"), EmojiCode: at("1f697")}, car("here"), ""},
		"by name and type":  {Change{EmojiName: at("car"), EmojiType: at(message.UnicodeEmoji)}, car("here"), ""},
		"by all, with text": {Change{at("x"), at("car"), at("1f697"), at(message.UnicodeEmoji), nil}, car("x"), ""},
		"of the realm":      {Change{EmojiName: at("party")}, Status{"here", "party", "7", message.RealmEmoji, 0}, ""},
		"deactivated": {Change{EmojiName: at("old"), EmojiCode: at("8"), EmojiType: at(message.RealmEmoji)}, smile,
			"deactivated"},
		"unknown": {Change{EmojiName: at("nope")}, smile, "Emoji 'nope' does not exist"},
		"another's code": {Change{EmojiName: at("car"), EmojiCode: at("1f642"), EmojiType: at(message.UnicodeEmoji)}, smile,
			"Invalid emoji name."},
		"no such code": {Change{EmojiName: at("car"), EmojiCode: at("zz"), EmojiType: at(message.UnicodeEmoji)}, smile,
			"Invalid emoji code."},
		"no such type": {Change{EmojiName: at("car"), EmojiCode: at("1f697"), EmojiType: at("x")}, smile,
			"Invalid emoji type."},
		"code alone": {Change{EmojiCode: at("1f697")}, smile, "must pass emoji_name"},
		"type alone": {Change{EmojiType: at(message.UnicodeEmoji)}, smile, "must pass emoji_name"},
		"end":        {Change{End: end(1_000_001)}, until(smile, 1_000_001), ""},
		"text and end": {Change{Text: at("x"), EmojiName: at("car"), End: end(1_000_001)},
			until(car("x"), 1_000_001), ""},
		"end of nothing":      {Change{Text: at(""), EmojiName: at(""), End: end(1_000_001)}, Status{}, ""},
		"ended":               {Change{End: end(1_000_000)}, smile, "must be in the future"},
		"end in eleven years": {Change{End: end(1_000_000 + 11*366*24*3600)}, smile, "must be in the future"},
		"long name":           {Change{EmojiName: at(strings.Repeat("x", 1000))}, smile, "Invalid emoji name."},
	} {
		got, err := smile.With(c.c, emojis{}, now)
		if c.fail != "" {
			if !errs.Is(err, errs.BadRequest) || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%s: %v, want %q", name, err, c.fail)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, c.want)
		}
	}
	// Another text does not keep the end of the former one.
	if got, err := until(smile, 1_000_001).With(Change{Text: at("x")}, emojis{}, now); err != nil || got.End != 0 {
		t.Errorf("another text: %+v (%v)", got, err)
	}
	if (Change{EmojiCode: at("x")}).Any() || !(Change{Text: at("")}).Any() || !(Change{EmojiName: at("")}).Any() {
		t.Error("Any")
	}
}

func TestShownAndDiffering(t *testing.T) {
	smile := Status{"here", "smile", "1f642", message.UnicodeEmoji, 0}
	is := func(what string, v any, want string) {
		t.Helper()
		if b, err := json.Marshal(v); err != nil || string(b) != want {
			t.Errorf("%s: %s (%v), want %s", what, b, err, want)
		}
	}
	is("nothing", Status{}.Shown(false, false, false), `{}`)
	is("away", Status{}.Shown(true, false, false), `{"away":true}`)
	is("all", smile.Shown(true, true, false), `{"status_text":"here","emoji_name":"smile","emoji_code":"1f642",`+
		`"reaction_type":"unicode_emoji","away":true}`)
	ending := until(smile, 5)
	is("an end", ending.Shown(false, false, true), `{"status_text":"here","emoji_name":"smile","emoji_code":"1f642",`+
		`"reaction_type":"unicode_emoji","scheduled_end_time":5}`)
	is("an end for others", ending.Shown(false, false, false), `{"status_text":"here","emoji_name":"smile",`+
		`"emoji_code":"1f642","reaction_type":"unicode_emoji"}`)
	is("without an end", smile.Differing(ending), `{"scheduled_end_time":0}`)
	is("the same", smile.Differing(smile), `{}`)
	is("from nothing", smile.Differing(Status{}),
		`{"emoji_code":"1f642","emoji_name":"smile","reaction_type":"unicode_emoji","status_text":"here"}`)
	is("to nothing", Status{}.Differing(smile), `{"emoji_code":"","emoji_name":"","reaction_type":"","status_text":""}`)
	is("another text", Status{"there", "smile", "1f642", message.UnicodeEmoji, 0}.Differing(smile),
		`{"status_text":"there"}`)
	is("no emoji", Status{Text: "here"}.Differing(smile), `{"emoji_code":"","emoji_name":"","reaction_type":""}`)
}
