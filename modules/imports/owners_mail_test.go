package imports_test

import (
	neturl "net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/kit"
)

var resetLink = regexp.MustCompile(`http://moved\.\S+/accounts/password/reset/\S+`)

// An owner sends everybody who was imported a link by email, with which they set a password, each time to those who
// have none yet.
func TestOwnersMailLinks(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		mails := &mailtest.Fake{}
		modules := dependencies()
		modules = slices.DeleteFunc(modules, func(m kit.Module) bool { return m.Slot == "mail" })
		s := startWith(t, url, "{http: {url: 'http://127.0.0.1'}, modules: {realm: {domain: 127.0.0.1}}}", nil,
			append(modules, mails.Module())...)
		s.fill()
		olga := s.As("olga")
		id := s.checkedImport(olga)
		olga.Do("POST /imports/" + id + "/start").OK()
		s.RunJob("imports.run")
		if a := s.state(olga); a.Get("imports.0.mails") != true {
			t.Fatal(a.Body)
		}
		mailed := func() map[string]string {
			t.Helper()
			a := olga.Do("POST /imports/"+id+"/links", "send", "true").OK()
			s.RunJob("mail.send_mails")
			all := map[string]string{}
			for _, m := range mails.Received() {
				all[m.To] = resetLink.FindString(m.Text)
				if !strings.Contains(m.Text, "have moved to") || all[m.To] == "" {
					t.Errorf("%s was told: %s\n%s", m.To, m.Subject, m.Text)
				}
			}
			if int(a.Int("sent_count")) != len(all) || a.Has("links.0") {
				t.Errorf("%d emails: %s", len(all), a.Body)
			}
			return all
		}
		first := mailed()
		if first["alice@example.com"] == "" || first["bob@example.com"] == "" {
			t.Fatalf("got %v", first)
		}
		at, err := neturl.Parse(first["alice@example.com"])
		if err != nil {
			t.Fatal(err)
		}
		status, _, page := s.Page("POST", at.Path, neturl.Values{"password": {"battery horse staple"}}, "Host", at.Host)
		if status != 200 {
			t.Fatal(status, page)
		}
		olga.Do("POST /imports/"+id+"/links", "send", "true").Error(429, "RATE_LIMIT_HIT", "too often")
		s.Clock.Advance(time.Hour)
		again := mailed()
		if _, ok := again["alice@example.com"]; ok || len(again) != len(first)-1 ||
			again["bob@example.com"] == first["bob@example.com"] {
			t.Errorf("after %v, got %v", first, again)
		}
		s.Clock.Advance(time.Hour)
		mailed()
		s.Clock.Advance(time.Hour)
		for range 2 { // everybody has three links, then the organization has sent them five times
			olga.Do("POST /imports/"+id+"/links", "send", "true").Error(429, "RATE_LIMIT_HIT", "too often")
		}
	})
}
