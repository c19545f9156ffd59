package accounts

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/modules/kit"
)

type serverSettingsReq struct {
	Modules bool `json:"stoa_modules" default:"false"` // an extension: includes the names of the server's modules
}

// serverSettings handles GET /server_settings. At a host name without an organization, it describes only the server.
func (s *service) serverSettings(ctx context.Context, a kit.Actor, in serverSettingsReq) (map[string]any, error) {
	keys := map[string]any{
		"service_feature_level": realm.FeatureLevel, "service_version": realm.Version, "service_merge_base": realm.MergeBase,
		"stoa_version": string(s.Version), "push_notifications_enabled": false,
		"is_incompatible":                realm.Incompatible(a.Agent),
		"require_email_format_usernames": true,
		"email_auth_enabled":             true,
	}
	if in.Modules {
		keys["stoa_modules"] = s.Collected.Names()
	}
	external, err := s.Methods.Ask(ctx, signin.Methods{Realm: a.Realm})
	if err != nil {
		return nil, err
	}
	others := append([]signin.Method{}, slices.Concat(external...)...) // never null
	keys["external_authentication_methods"] = others
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, err
	}
	if err == nil && v.Realm() != nil {
		if err := s.realmSettings(ctx, a, v, keys); err != nil {
			return nil, err
		}
	}
	keys["authentication_methods"] = methods(keys["email_auth_enabled"] == true,
		keys["require_email_format_usernames"] == false, others)
	if err := s.addDescriptions(ctx, a.Realm, keys); err != nil {
		return nil, err
	}
	return keys, nil
}

// addDescriptions sets the values that other modules know, and adds the aliases of keys.
func (s *service) addDescriptions(ctx context.Context, r realm.ID, keys map[string]any) error {
	all, err := s.Description.Ask(ctx, realm.Description{Realm: r, Keys: keys})
	if err != nil {
		return err
	}
	if err := realm.Describe(keys, all); err != nil {
		return err
	}
	aliases, _, err := s.Aliases.Ask(ctx, realm.KeyAliases{Keys: keys})
	maps.Copy(keys, aliases)
	return err
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
	passwords, names, err := s.Accepted(ctx, r.ID)
	if err != nil {
		return err
	}
	keys["email_auth_enabled"] = passwords // apps show the form with the password
	keys["require_email_format_usernames"] = !names
	keys["realm_url"], keys["realm_uri"] = a.URL, a.URL
	keys["realm_name"] = r.Settings.Name
	keys["realm_icon"] = a.URL + r.EmblemURL(realm.Icon)
	keys["realm_description"] = out.HTML
	keys["realm_web_public_access_enabled"] = false // overwritten by the module that admits spectators
	return nil
}

// methods returns which kinds of methods to log in can be used. Other methods are named after their kind.
func methods(password, ldap bool, others []signin.Method) map[string]bool {
	all := map[string]bool{
		"password": password, "email": password, "dev": false, "ldap": ldap, "remoteuser": false, "github": false,
		"azuread": false,
		"gitlab":  false, "google": false, "apple": false, "saml": false, "openid connect": false, "discord": false,
	}
	for _, m := range others {
		kind, _, _ := strings.Cut(m.Name, ":")
		if kind == "oidc" {
			kind = "openid connect"
		}
		if _, known := all[kind]; known {
			all[kind] = true
		}
	}
	return all
}

// describeRealm answers realm.Description with what is required of passwords.
func (s *service) describeRealm(_ context.Context, q realm.Description) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range map[string]int{
		"password_min_length": s.cfg.MinPassword, "password_min_guesses": s.cfg.MinGuesses,
	} {
		if q.Asks(key) {
			out[key] = value
		}
	}
	return out, nil
}
