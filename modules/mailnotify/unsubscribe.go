package mailnotify

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/linkkey"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

const unsubscribePath = "/accounts/unsubscribe"

//go:embed unsubscribe.html
var unsubscribeHTML string

var unsubscribePage = template.Must(template.New("unsubscribe").Parse(unsubscribeHTML))

// kinds maps the types of emails, as they appear in unsubscribe links, to the settings that cause them.
var kinds = map[string][]string{
	"missed_messages": {
		"enable_offline_email_notifications", "enable_followed_topic_email_notifications",
		"enable_stream_email_notifications",
	},
	"digest":    {"enable_digest_emails"},
	"login":     {"enable_login_emails"},
	"marketing": {"enable_marketing_emails"},
}

// unsubscribeLink returns the URL for unsubscribing a user from a type of email.
func (s *service) unsubscribeLink(ctx context.Context, site, kind string, u user.ID) (string, error) {
	secret, err := s.secrets.Secret(ctx)
	if err != nil {
		return "", err
	}
	return site + unsubscribePath + "/" + kind + "/" + secret.Key(keyKind(kind), int64(u), ""), nil
}

func keyKind(kind string) string { return "unsubscribe " + kind }

// unsubscribed holds the content of the confirmation page.
type unsubscribed struct {
	page.Preference

	Realm, Email string
}

// unsubscribe disables the settings that cause a type of email. It accepts GET as well as POST, because users expect to
// be unsubscribed by a single click, and an accidental request does little harm. The key in the link identifies the
// user and is valid only for unsubscribing.
func (s *service) unsubscribe(r *http.Request) (unsubscribed, error) {
	ctx := r.Context()
	invalid := errs.New(errs.NotFound, "This link is invalid.")
	kind, key, _ := strings.Cut(strings.Trim(strings.TrimPrefix(r.URL.Path, unsubscribePath), "/"), "/")
	settings, known := kinds[kind]
	id, proof, ok := linkkey.Parse(key)
	if !known || !ok {
		return unsubscribed{}, invalid
	}
	secret, err := s.secrets.Secret(ctx)
	if err != nil {
		return unsubscribed{}, err
	}
	if !secret.Proves(keyKind(kind), id, "", proof) {
		return unsubscribed{}, invalid
	}
	realm, err := s.Realms.Resolve(ctx, page.Host(r))
	if err != nil {
		return unsubscribed{}, err
	}
	v, err := s.Directory.View(ctx, realm)
	if err != nil {
		return unsubscribed{}, err
	}
	u := v.User(user.ID(id))
	if u == nil || !u.Active || v.Realm() == nil || v.Realm().Deactivated {
		return unsubscribed{}, invalid
	}
	as := user.Actor{Realm: realm, User: u.ID, Role: u.Role, Client: "website"}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		for _, name := range settings {
			if err := s.Settings.Set(ctx, as, u.ID, name, false); err != nil {
				return err
			}
		}
		return nil
	})
	return unsubscribed{
		Preference: page.Preference{Own: u.Settings.DefaultLanguage, Organization: v.Realm().Settings.DefaultLanguage},
		Realm:      mail.Name(v.Realm().Settings.Name), Email: u.DeliveryEmail,
	}, err
}
