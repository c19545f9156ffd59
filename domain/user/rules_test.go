package user_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// england is a flag that consists of a black flag and tag characters.
const england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

func TestCheckName(t *testing.T) {
	for _, c := range []struct {
		in, want string
		ok       bool
	}{
		{"  Ada Lovelace ", "Ada Lovelace", true},
		{strings.Repeat("é", 100), strings.Repeat("é", 100), true},
		{strings.Repeat("é", 101), "", false},
		{"", "", false},
		{" \t ", "", false},
		{"a|12", "", false},
		{"a|12b", "a|12b", true},
		{"a|", "a|", true},
		{"a*b", "", false},
		{"a`b", "", false},
		{`a\b`, "", false},
		{"a>b", "", false},
		{`a"b`, "", false},
		{"a@b", "", false},
		{"a\x00b", "", false},
		{"a\nb", "", false},
		{"a\xffb", "", false},
		{"गौरव त्रिपाठी", "गौरव त्रिपाठी", true},
		{"👩\u200d💻", "👩\u200d💻", true},
		{"علی\u200cرضا", "علی\u200cرضا", true},
		{"a\u202eb", "", false},
		{"a\u200bb", "", false},
		{"a\u2066b", "", false},
		{"\ufeffa", "", false},
		{"a\ue000", "", false},
		{"\u200d", "", false},
		{"\ufe0f", "", false},
		{"❤\ufe0f", "❤\ufe0f", true},
		{"\u3164", "", false},
		{"\u2800", "", false},
		{"\u115f", "", false},
		{"a\u3164", "", false},
		{"a\u2800b", "", false},
		{"a\u034f", "", false},
		{"a\U0001d159", "", false},
		{"a\ufdd0", "", false},
		{"\U0001fae9", "\U0001fae9", true}, // newer than the Unicode tables
		{england, england, true},
		{"a " + england + " b", "a " + england + " b", true},
		{england + "\u202e", "", false},
		{"a\U000e0067", "", false},
		{"\U0001f3f4a\U000e0067", "", false},
	} {
		got, err := user.CheckName(c.in)
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("CheckName(%q) = %q, %v; want %q, ok %v", c.in, got, err, c.want, c.ok)
		}
	}
}

func TestUnshown(t *testing.T) {
	for name, want := range map[string]int{
		"": 0, "Zürich *東京* 🏛 >\"@": 0, "a\ufffdb": 0, "علی\u200cرضا": 0, "👩\u200d💻": 0, "❤\ufe0f": 0, "Cafe\u0301": 0,
		england:  0,
		"東\xffb": 2, "東東\nb": 3, "a\x00": 2, "a\u0085": 2, "a\u2028b": 2, "\ufdd0": 1, "a\U0010ffff": 2, "a\ue000": 2,
		"a\u202eb": 2, "\u200brole:x": 1, "ab\u2066": 3, "\ufeffa": 1, "\u3164": 1, "a\u00adb": 2, england + "\U000e0067a": 0,
		england + "a\U000e0067": len([]rune(england)) + 2,
	} {
		if got := user.FirstInvisible(name); got != want {
			t.Errorf("%+q: %d, want %d", name, got, want)
		}
	}
}

func TestCheckEmail(t *testing.T) {
	for in, ok := range map[string]bool{
		"ada@example.com": true, " ada@example.com ": true, "a+b@x.org": true, "o'neil@x.org": true,
		"AARON@Example.COM": true,
		"a@localhost":       true, "": false, "ada": false, "@x.org": false, "ada@": false, "a b@x.org": false,
		"a@b@x.org": false,
		"a@x..org":  false, "a@-x.org": false, ".a@x.org": false, "a..b@x.org": false, "a@x.org\n": true, "a\n@x.org": false,
		"a@ex ample.com": false, "a\x00@x.org": false, strings.Repeat("a", 65) + "@x.org": false,
		"a@" + strings.Repeat("x.", 130) + "org": false,
	} {
		if _, err := user.CheckEmail(in); (err == nil) != ok {
			t.Errorf("CheckEmail(%q): %v, want ok %v", in, err, ok)
		}
	}
}

func TestCheckPassword(t *testing.T) {
	for in, ok := range map[string]bool{
		"long enough": true, "": false, "short": false, "aaaaaaaaaa": false, "ada@example.com": false,
		"ADA@example.com":        false,
		strings.Repeat("ab", 50): true, strings.Repeat("ab", 51): false, strings.Repeat("äß", 50): true,
		strings.Repeat("äß", 50) + "ä": false, "äöüß1234": true, "äöüß123": false,
		"123456": false, "1234567890": false, "987654321": false, "Abcdefgh": false, "password": false, "Password1!": false,
		"qwerty":    false,
		"admin2024": false, "administrators": true, "12345678": false, "12345679": true, "ääääääää": false,
		"password is long": true,
		"admin20241":       true,
	} {
		if err := user.CheckPassword(in, "ada@example.com", user.MinPassword); (err == nil) != ok {
			t.Errorf("CheckPassword(%q): %v, want ok %v", in, err, ok)
		}
	}
}

func TestAPIEmail(t *testing.T) {
	u := user.User{ID: 7, DeliveryEmail: "ada@example.com", AvatarSource: user.Gravatar, AvatarVersion: 1,
		Settings: user.Defaults()}
	if got := u.APIEmail("x.org"); got != "ada@example.com" {
		t.Errorf("everyone can see the address, but it is %s", got)
	}
	open := u.AvatarURL("x.org", false)
	for _, visibility := range []int{user.MembersSee, user.AdminsSee, user.NobodySees, user.ModeratorsSee} {
		u.Settings.EmailAddressVisibility = visibility
		if got := u.APIEmail("x.org"); got != "user7@x.org" {
			t.Errorf("visibility %d: API email %s", visibility, got)
		}
		if u.AvatarURL("x.org", false) == open || u.ComputesAvatar() {
			t.Errorf("visibility %d: the avatar reveals the address", visibility)
		}
	}
	u.BotType = user.GenericBot
	if got := u.APIEmail("x.org"); got != "ada@example.com" {
		t.Errorf("bots hide nothing, but the address is %s", got)
	}
}

func TestFromAPIEmail(t *testing.T) {
	for in, want := range map[string]user.ID{
		"user7@x.org": 7, "USER7@X.ORG": 7, "user7@y.org": 0, "user@x.org": 0, "user-7@x.org": 0, "user0@x.org": 0,
		"user7":                          0,
		"user99999999999999999999@x.org": 0, "": 0,
	} {
		if got, ok := user.FromAPIEmail(in, "x.org"); ok != (want != 0) || ok && got != want {
			t.Errorf("FromAPIEmail(%q) = %d, %v; want %d", in, got, ok, want)
		}
	}
}

// Every setting has one row, whose default passes its own check.
func TestSettingsTable(t *testing.T) {
	rows := map[string]int{}
	for _, r := range user.Rows() {
		rows[r.Name]++
		if r.Check != nil {
			if err := r.Check(r.Name, r.Default); err != nil {
				t.Errorf("default of %s: %v", r.Name, err)
			}
		}
	}
	typ := reflect.TypeFor[user.Settings]()
	for i := range typ.NumField() {
		name := typ.Field(i).Tag.Get("json")
		if rows[name] != 1 {
			t.Errorf("%s has %d rows", name, rows[name])
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("row %s has no setting", name)
	}
}

func TestSettingsWith(t *testing.T) {
	now := user.Defaults()
	for _, c := range []struct {
		name  string
		value any
		ok    bool
	}{
		{"color_scheme", 3, true},
		{"color_scheme", 0, false},
		{"color_scheme", 4, false},
		{"web_home_view", "recent", true},
		{"web_home_view", "recent_topics", false},
		{"emojiset", "blob", false},
		{"default_language", "de", true},
		{"default_language", "xx", false},
		{"timezone", "Europe/Athens", true},
		{"timezone", "", true},
		{"timezone", "Local", false},
		{"timezone", "../../etc/passwd", false},
		{"notification_sound", "none", true},
		{"notification_sound", "gong", false},
		{"email_address_visibility", 6, false},
		{"email_notifications_batching_period_seconds", 604801, false},
	} {
		next, changes, err := now.With(map[string]any{c.name: c.value})
		if (err == nil) != c.ok {
			t.Errorf("%s = %v: %v, want ok %v", c.name, c.value, err, c.ok)
		}
		if !c.ok && next != now {
			t.Errorf("%s = %v: refused, but changed", c.name, c.value)
		}
		if c.ok && c.value != "" && len(changes) != 1 {
			t.Errorf("%s = %v: %d changes", c.name, c.value, len(changes))
		}
	}
	if _, changes, err := now.With(map[string]any{"color_scheme": 1, "enter_sends": false}); err != nil ||
		len(changes) != 0 {
		t.Errorf("an unchanged value counts as changed: %v, %v", changes, err)
	}
}

func TestTimezone(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "UTC": true, "Etc/GMT+12": true, "Europe/Berlin": true, "America/Argentina/Buenos_Aires": true,
		"America/Port-au-Prince": true,
		"EST5EDT":                true,
		"Mars/Phobos":            false, "Europe/berlin": false, "Local": false, "localtime": false, "posixrules": false,
		"Factory":             false,
		"posix/Europe/Berlin": false, "right/UTC": false, "./UTC": false, "../zoneinfo/UTC": false, "Europe//Berlin": false,
		"/UTC": false, "UTC/": false,
		"Europe": false, "UTC\x00": false, "+1": false,
	} {
		_, _, err := user.Defaults().With(map[string]any{"timezone": name})
		if (err == nil) != want || err != nil && !errs.Is(err, errs.BadRequest) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
