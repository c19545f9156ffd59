package status

import (
	"encoding/json"
	"strings"
	"testing"

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

func TestWith(t *testing.T) {
	at := func(s string) *string { return &s }
	smile := Status{Text: "here", EmojiName: "smile", EmojiCode: "1f642", EmojiType: message.UnicodeEmoji}
	car := func(text string) Status { return Status{text, "car", "1f697", message.UnicodeEmoji} }
	for name, c := range map[string]struct {
		c    Change
		want Status
		fail string
	}{
		"nothing": {Change{}, smile, ""},
		"text":    {Change{Text: at("  there\n")}, Status{"there", "smile", "1f642", message.UnicodeEmoji}, ""},
		"no text": {Change{Text: at(" ")}, Status{"", "smile", "1f642", message.UnicodeEmoji}, ""},
		"longest text": {Change{Text: at(" " + strings.Repeat("ä", 60))},
			Status{strings.Repeat("ä", 60), "smile", "1f642", message.UnicodeEmoji}, ""},
		"too long": {Change{Text: at(strings.Repeat("ä", 61))}, smile,
			"status_text is too long (limit: 60 characters)"},
		"nul":      {Change{Text: at("a\x00b")}, smile, "Invalid character"},
		"no emoji": {Change{EmojiName: at("")}, Status{Text: "here"}, ""},
		"no emoji, but a code": {Change{EmojiName: at(""), EmojiCode: at("1f697"), EmojiType: at(message.UnicodeEmoji)},
			Status{Text: "here"}, ""},
		"by name":           {Change{EmojiName: at("car")}, car("here"), ""},
		"by name and code":  {Change{EmojiName: at("car"), EmojiCode: at("1f697")}, car("here"), ""},
		"by name and type":  {Change{EmojiName: at("car"), EmojiType: at(message.UnicodeEmoji)}, car("here"), ""},
		"by all, with text": {Change{at("x"), at("car"), at("1f697"), at(message.UnicodeEmoji)}, car("x"), ""},
		"of the realm":      {Change{EmojiName: at("party")}, Status{"here", "party", "7", message.RealmEmoji}, ""},
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
		"long name":  {Change{EmojiName: at(strings.Repeat("x", 1000))}, smile, "Invalid emoji name."},
	} {
		got, err := smile.With(c.c, emojis{})
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
	if (Change{EmojiCode: at("x")}).Any() || !(Change{Text: at("")}).Any() || !(Change{EmojiName: at("")}).Any() {
		t.Error("Any")
	}
}

func TestShownAndDiffering(t *testing.T) {
	smile := Status{"here", "smile", "1f642", message.UnicodeEmoji}
	is := func(what string, v any, want string) {
		t.Helper()
		if b, err := json.Marshal(v); err != nil || string(b) != want {
			t.Errorf("%s: %s (%v), want %s", what, b, err, want)
		}
	}
	is("nothing", Status{}.Shown(false, false), `{}`)
	is("away", Status{}.Shown(true, false), `{"away":true}`)
	is("all", smile.Shown(true, true), `{"status_text":"here","emoji_name":"smile","emoji_code":"1f642",`+
		`"reaction_type":"unicode_emoji","away":true}`)
	is("the same", smile.Differing(smile), `{}`)
	is("from nothing", smile.Differing(Status{}),
		`{"emoji_code":"1f642","emoji_name":"smile","reaction_type":"unicode_emoji","status_text":"here"}`)
	is("to nothing", Status{}.Differing(smile), `{"emoji_code":"","emoji_name":"","reaction_type":"","status_text":""}`)
	is("another text", Status{"there", "smile", "1f642", message.UnicodeEmoji}.Differing(smile), `{"status_text":"there"}`)
	is("no emoji", Status{Text: "here"}.Differing(smile), `{"emoji_code":"","emoji_name":"","reaction_type":""}`)
}
