package homepage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/confirmations"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/homepage"
	"github.com/stoachat/stoa/modules/invites"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) { kittest.Check(t, homepage.Module) }

func TestHomepage(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mail.Module,
		log.Module,
		invites.Module, confirmations.Module, homepage.Module)
	status, h, body := s.Page("GET", "/", nil)
	if status != 200 || h.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", status, h)
	}
	for _, want := range []string{"Stoics", "<strong>" + s.URL + "</strong>", "zulip-term", "invitation link",
		`href="/accounts/password/reset/"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing from\n%s", want, body)
		}
	}
	policy := h.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("no %s in the policy %s", want, policy)
		}
	}
	if strings.Contains(body, "<script") || strings.Contains(policy, "unsafe") {
		t.Errorf("scripts: %s\n%s", policy, body)
	}
	if _, _, body := s.Page("GET", "/", nil, "Accept-Language", "tlh, ar-EG;q=0.9, de;q=0.1"); !strings.Contains(body,
		`<html lang="ar" dir="rtl">`) ||
		!strings.Contains(body, "<strong>"+s.URL+"</strong>") || strings.Contains(body, "invitation link") {
		t.Errorf("not in Arabic:\n%s", body)
	}
	if _, _, body := s.Page("GET", "/", nil, "Host", `evil"><script>`); strings.Contains(body, "<script>") {
		t.Errorf("the Host header is markup: %s", body)
	}
	if status, _, _ := s.Page("GET", "/nothing", nil); status != 404 {
		t.Errorf("the page is served for every path: %d", status)
	}
	s.As("olga").Do("PATCH /realm", "invite_required", "false").OK()
	if _, _, body := s.Page("GET", "/", nil); !strings.Contains(body, `href="/register/"`) {
		t.Errorf("no link to sign up:\n%s", body)
	}
	s.Do(func(ctx context.Context) error {
		v, err := s.Ports.Directory.View(ctx, s.Realm)
		if err != nil {
			return err
		}
		now := *v.Realm()
		now.Deactivated = true
		return s.Ports.Log.Append(ctx, kit.Event[kit.None]("realm", "created").To(s.Realm, event.None(),
			kit.None{}).Changing(directory.OfRealm(v.Realm(), &now)))
	})
	if status, _, body := s.Page("GET", "/", nil); status != 404 || strings.Contains(body, "Stoics") {
		t.Errorf("deactivated: %d\n%s", status, body)
	}
}

// The page does not link to pages of modules that are missing.
func TestHomepageAlone(t *testing.T) {
	s := kittest.Start(t, realm.Module, accounts.Module, homepage.Module)
	status, _, body := s.Page("GET", "/", nil)
	if status != 200 || strings.Contains(body, "href=") {
		t.Errorf("%d\n%s", status, body)
	}
}
