package realm_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
)

func TestCheckDomain(t *testing.T) {
	long := strings.Repeat("a", 63)
	for sent, want := range map[string]string{
		" Example.COM ": "example.com", "a.b.c": "a.b.c", "x-1.org": "x-1.org", "1.2": "1.2", long + ".org": long + ".org",
		"xn--bcher-kva.example": "xn--bcher-kva.example",
		"":                      "", "  ": "", "localhost": "", ".org": "", "org.": "", "a..b": "", "-a.org": "",
		"a-.org": "", "a b.org": "", "a_b.org": "", "bücher.example": "",
		long + "a.org": "", strings.Repeat("a.", 127) + "org": "", "a@b.org": "", "a.org/": "", "a\x00.org": "",
	} {
		got, err := realm.CheckDomain(sent)
		if got != want || (err == nil) != (want != "") || err != nil && !errs.Is(err, errs.BadRequest) {
			t.Errorf("%q: %q %v", sent, got, err)
		}
	}
}

func TestCheckEmail(t *testing.T) {
	r := &realm.Realm{Domains: []realm.Domain{{1, "a.org", false}, {2, "b.org", true}}}
	check := func(want map[string]bool) {
		t.Helper()
		for email, allowed := range want {
			if err := r.CheckEmail(email); (err == nil) != allowed {
				t.Errorf("%s: %v", email, err)
			}
		}
	}
	check(map[string]bool{"x@c.org": true, "x+y@a.org": true, "x@mailinator.com": true})
	r.Settings.DisallowDisposableEmailAddresses = true
	check(map[string]bool{"x@c.org": true, "x@mailinator.com": false, "x@Sub.MAILINATOR.com": false,
		"x@notmailinator.com": true, "x@trash-mail.de": false, "x@mail.de": true, "x@com": true, "x@": true})
	r.Settings.EmailsRestrictedToDomains = true
	check(map[string]bool{
		"x@a.org": true, "x@A.ORG": true, "x@b.org": true, "x@c.b.org": true, "x@d.c.b.org": true,
		"x@c.org": false, "x@c.a.org": false, "x@ab.org": false, "x@xb.org": false, "x+y@a.org": false, "a.org": true,
		"x@": false, "": false,
	})
	r.Domains = []realm.Domain{{Name: "mailinator.com"}}
	check(map[string]bool{"x@mailinator.com": true}) // listed explicitly
	r.Domains = nil
	check(map[string]bool{"x@a.org": false})
}

func TestDomains(t *testing.T) {
	r := &realm.Realm{}
	one, a, err := r.WithDomain("a.org", false)
	if err != nil || a != (realm.Domain{ID: 1, Name: "a.org"}) || len(r.Domains) != 0 {
		t.Fatalf("%+v %v", a, err)
	}
	if _, _, err := one.WithDomain("a.org", true); !errs.Is(err, errs.BadRequest) {
		t.Errorf("twice: %v", err)
	}
	one.Settings.EmailsRestrictedToDomains = true
	none := one.ReplacingDomain("a.org", nil)
	if len(none.Domains) != 0 || none.Settings.EmailsRestrictedToDomains || !one.Settings.EmailsRestrictedToDomains {
		t.Errorf("%+v", none)
	}
	if _, again, _ := none.WithDomain("a.org", true); again.ID != 2 {
		t.Errorf("a repeated id: %+v", again)
	}
	other := one.ReplacingDomain("a.org", &realm.Domain{ID: 1, Name: "a.org", Subdomains: true})
	if d, ok := other.Domain("a.org"); !ok || !d.Subdomains || !other.Settings.EmailsRestrictedToDomains {
		t.Errorf("%+v", other)
	}
}
