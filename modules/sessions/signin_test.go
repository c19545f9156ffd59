package sessions_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// outside is a module with its own authentication method.
type outside struct{ ends ports.SignIns }

func (o *outside) module() kit.Module {
	type needs struct {
		fx.In
		SignIns ports.SignIns
	}
	return kit.Define("outside", "Logs people in.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		o.ends = n.SignIns
		return kit.Parts{}, nil
	})
}

// TestSignIns covers both flows of apps that open a browser, and the flow of a browser alone.
func TestSignIns(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		var o outside
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: database}, append([]kit.Module{o.module()}, modules...)...)
		pad := strings.Repeat("ab", 32)
		by := s.Actor("alice")
		by.URL, by.Agent = "https://chat.example.com", "Mozilla/5.0"
		finish := func(query string) signin.Outcome {
			t.Helper()
			q, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			f, err := signin.ParseFlow(q)
			if err != nil {
				t.Fatal(err)
			}
			out, err := o.ends.Finish(t.Context(), by, s.UserID("alice"), f)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if out := finish("next=/a"); out.Session == nil || !(&browser{s, out.Session.Cookie}).loggedIn() {
			t.Errorf("%+v", out)
		}

		to, err := url.Parse(finish("mobile_flow_otp=" + pad).App)
		if err != nil || to.Scheme != "zulip" || to.Host != "login" || to.Query().Get("realm") != by.URL {
			t.Fatal(to, err)
		}
		sealed, err := hex.DecodeString(to.Query().Get("otp_encrypted_api_key"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range sealed {
			sealed[i] ^= 0xab
		}
		s.WithKey(to.Query().Get("email"), string(sealed)).Do("GET /users/me").OK()

		open := func(code string) *browser {
			t.Helper()
			token := decrypt(t, code, pad)
			b := &browser{s: s}
			if a := b.do("GET /accounts/login/subdomain/"+token, nil); a.status != 302 || a.header.Get("Location") != "/b" ||
				!b.loggedIn() {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if a := (&browser{s: s}).do("GET /accounts/login/subdomain/"+token, nil); a.status != 404 || a.set != nil {
				t.Errorf("a second time: %d %s", a.status, a.body)
			}
			return b
		}
		open(finish("next=/b&desktop_flow_otp=" + pad).Code)
		late := decrypt(t, finish("desktop_flow_otp="+pad).Code, pad)
		s.Clock.Advance(signin.TokenLife)
		b := &browser{s: s}
		if a := b.do("GET /accounts/login/subdomain/"+late, nil); a.status != 404 || a.set != nil {
			t.Errorf("too late: %d %s", a.status, a.body)
		}
		for _, path := range []string{"", "/", "/nonsense", "/%00", "/a/b"} {
			if a := b.do("GET /accounts/login/subdomain"+path, nil); a.status != 404 || a.set != nil {
				t.Errorf("%s: %d %s", path, a.status, a.body)
			}
		}
		s.Clock.Advance(time.Hour)
		s.RunJob("sessions.forget_sessions")

		if err := s.Ports.Accounts.Deactivate(t.Context(), s.Actor("olga"), s.UserID("alice")); err != nil {
			t.Fatal(err)
		}
		for _, f := range []signin.Flow{{}, {Mobile: make([]byte, 32)}, {Desktop: make([]byte, 32)}} {
			if out, err := o.ends.Finish(context.WithoutCancel(t.Context()), by, s.UserID("alice"), f); err == nil {
				t.Errorf("a deactivated user was logged in: %+v", out)
			}
		}
	})
}

func decrypt(t *testing.T, code, pad string) string {
	t.Helper()
	key, err := hex.DecodeString(pad)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(code)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	text, err := gcm.Open(nil, sealed[:12], sealed[12:], nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
