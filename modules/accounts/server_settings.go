package accounts

import (
	"context"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
)

// serverSettings handles GET /server_settings. At a host name without an organization, it describes only the server.
func (s *service) serverSettings(ctx context.Context, a kit.Actor, _ kit.None) (map[string]any, error) {
	keys := map[string]any{
		"service_feature_level": realm.FeatureLevel, "service_version": realm.Version, "service_merge_base": realm.MergeBase,
		"stoa_version": string(s.Version), "push_notifications_enabled": false,
		"is_incompatible":                realm.Incompatible(a.Agent),
		"require_email_format_usernames": true,
		"email_auth_enabled":             true,
		"authentication_methods":         methods(true),
		signin.MethodsKey:                []signin.Method{},
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, err
	}
	if err == nil && v.Realm() != nil {
		if err := s.realmSettings(ctx, a, v, keys); err != nil {
			return nil, err
		}
	}
	return keys, s.Hooks.Run(ctx, &realm.Describing{Realm: a.Realm, Keys: keys})
}

// compatible handles GET /compatibility. It returns an error to clients that are too old. Errors: BadRequest.
func (s *service) compatible(_ context.Context, a kit.Actor, _ kit.None) (kit.None, error) {
	if realm.Incompatible(a.Agent) {
		return kit.None{}, errs.Bad("Client is too old")
	}
	return kit.None{}, nil
}

func (s *service) realmSettings(ctx context.Context, a kit.Actor, v *directory.View, keys map[string]any) error {
	r := v.Realm()
	out, err := s.Renderer.Render(ctx, v, markdown.Source{Text: r.Settings.Description, Description: true})
	if err != nil {
		return err
	}
	keys["email_auth_enabled"] = r.Settings.PasswordAuth
	keys["authentication_methods"] = methods(r.Settings.PasswordAuth)
	keys["realm_url"], keys["realm_uri"] = a.URL, a.URL
	keys["realm_name"] = r.Settings.Name
	keys["realm_icon"] = a.URL + r.EmblemURL(realm.Icon)
	keys["realm_description"] = out.HTML
	keys["realm_web_public_access_enabled"] = false // overwritten by the module that admits spectators
	return nil
}

func methods(password bool) map[string]bool {
	return map[string]bool{
		"password": password, "email": password, "dev": false, "ldap": false, "remoteuser": false, "github": false,
		"azuread": false,
		"gitlab":  false, "google": false, "apple": false, "saml": false, "openid connect": false, "discord": false,
	}
}

// describeRealm adds the configured minimum length of passwords to the realm's description.
func (s *service) describeRealm(_ context.Context, m *realm.Describing) error {
	const key = "password_min_length"
	if _, ok := m.Keys[key]; ok {
		m.Keys[key] = s.cfg.MinPassword
	}
	return nil
}
