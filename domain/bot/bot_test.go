package bot

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/user"
)

func TestEmail(t *testing.T) {
	for _, c := range []struct{ short, want string }{
		{"helper", "helper-bot@x.org"}, {"  Helper.1 ", "Helper.1-bot@x.org"}, {"a+b", "a+b-bot@x.org"},
		{"", ""}, {"  ", ""}, {"a b", ""}, {"a@b", ""}, {"é", ""}, {".a", ""}, {strings.Repeat("a", 61), ""}, {"a\x00", ""},
		{strings.Repeat("a", 60), strings.Repeat("a", 60) + "-bot@x.org"},
	} {
		got, err := Email(c.short, "x.org")
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q, %v", c.short, got, err)
		}
	}
}

func TestTypes(t *testing.T) {
	for typ, want := range map[user.BotType]string{1: "", 2: "", 3: "", 4: "This server has no embedded bots.",
		0: "Invalid bot type", 5: "Invalid bot type", -1: "Invalid bot type"} {
		got := ""
		if err := CheckType(typ); err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, want) || (got == "") != (want == "") {
			t.Errorf("%d: %q", typ, got)
		}
	}
}

func TestServices(t *testing.T) {
	const good = "https://example.com:8443/hook?x=1"
	for _, c := range []struct {
		typ           user.BotType
		name, address string
		form          Interface
		want          bool
	}{
		{user.OutgoingWebhook, "n", good, 1, true}, {user.OutgoingWebhook, "", "http://localhost", 2, true},
		{user.OutgoingWebhook, "", "", 1, false}, {user.OutgoingWebhook, "", "ftp://x.org", 1, false},
		{user.OutgoingWebhook, "", "//x.org", 1, false}, {user.OutgoingWebhook, "", "http://", 1, false},
		{user.OutgoingWebhook, "", "javascript:alert(1)", 1, false}, {user.OutgoingWebhook, "", "http://a:b@x.org", 1, false},
		{user.OutgoingWebhook, "", "http://:80/", 1, false}, {user.OutgoingWebhook, "", "http://x.org/%zz", 1, false},
		{user.OutgoingWebhook, "", good + strings.Repeat("a", MaxURL), 1, false},
		{user.OutgoingWebhook, strings.Repeat("n", MaxServiceName+1), good, 1, false},
		{user.OutgoingWebhook, "a\x00", good, 1, false},
		{user.OutgoingWebhook, "", good, 0, false}, {user.OutgoingWebhook, "", good, 3, false},
		{user.GenericBot, "", good, 1, false}, {user.IncomingWebhook, "", good, 1, false},
	} {
		s, err := CheckService(c.typ, c.name, c.address, c.form)
		if (err == nil) != c.want || c.want && (s.URL != c.address || s.Interface != c.form) {
			t.Errorf("%+v: %v, %v", c, s, err)
		}
	}
	if s, err := CheckService(user.GenericBot, "any", "", 0); s != nil || err != nil {
		t.Errorf("no service: %v, %v", s, err)
	}
}

func TestSizes(t *testing.T) {
	long := strings.Repeat("ä", MaxConfig-1)
	for _, c := range []struct {
		config map[string]string
		want   bool
	}{
		{nil, true}, {map[string]string{"k": long}, true}, {map[string]string{"k": long + "x"}, false},
		{map[string]string{"k": "a\x00"}, false}, {map[string]string{"\x00": ""}, false},
	} {
		if err := CheckConfig(c.config); (err == nil) != c.want {
			t.Errorf("%.20v: %v", c.config, err)
		}
	}
	if err := CheckEntries(map[string]string{"k": strings.Repeat("ä", 9)}, 10); err != nil {
		t.Error(err)
	}
	if CheckEntries(map[string]string{"k": strings.Repeat("ä", 10)}, 10) == nil {
		t.Error("too large a value was accepted")
	}
}
