package realm

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// property is the change of one setting, sent as a separate event.
type property struct {
	Property string `json:"property"` // without the prefix realm_
	Value    any    `json:"value"`
}

// dict holds the changes of several settings, sent as one event.
type dict struct {
	Property string         `json:"property"` // "default"
	Data     map[string]any `json:"data"`     // without the prefix realm_
}

var (
	updated     = kit.Event[property]("realm", "update").Shape(propertyShape).Personal(channelFor).Sends(property{})
	updatedDict = kit.Event[dict]("realm", "update_dict")
)

// patch handles PATCH /realm. It applies all changes or none. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) patch(ctx context.Context, a kit.Actor, in patch) (kit.None, error) {
	requested := setting.Given(in)
	groups, err := convertValues(requested)
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := checkPermission(v, a, requested, groups); err != nil {
			return err
		}
		if err := s.checkCalls(ctx, requested); err != nil {
			return err
		}
		if _, named := requested["string_id"]; named {
			return errs.Bad("Must be a demo organization.") // this server has no demo organizations
		}
		old := v.Realm()
		now := *old
		var changes []setting.Change
		if now.Settings, changes, err = old.Settings.With(requested); err != nil {
			return err
		}
		if old.Settings.PasswordAuth && !now.Settings.PasswordAuth {
			if !kit.Handled[realm.PasswordsOff](s.Collected) {
				return errs.Bad("At least one authentication method must be enabled.")
			}
			if err := s.Hooks.Run(ctx, &realm.PasswordsOff{Realm: a.Realm}); err != nil {
				return err
			}
		}
		changed := map[string]group.Setting{}
		for _, r := range permission.Settings(group.OfRealm) { // in the table's order, so that errors are deterministic
			up, ok := groups[r.Name]
			if !ok {
				continue
			}
			was := old.Settings.Groups[r.Name]
			if err := permission.CheckUpdate(v, group.OfRealm, r.Name, was, up); err != nil {
				return err
			}
			if !up.New.Equal(was) {
				changed[r.Name] = up.New.Normal()
				changes = append(changes, setting.Change{Name: r.Name, Value: up.New.Normal()})
			}
		}
		if len(changes) == 0 {
			return nil
		}
		now.Settings = now.Settings.Grouped(changed)
		events, err := s.events(ctx, v, &now, changes)
		if err != nil {
			return err
		}
		return s.save(ctx, old, &now, withDerivedDefaults(old, &now, events)...)
	})
}

// convertValues converts the requested values to the types of the settings in place. It removes group-valued settings
// and returns them. Errors: BadRequest.
func convertValues(requested map[string]any) (map[string]group.Update, error) {
	groups := map[string]group.Update{}
	if name, ok := requested["name"].(string); ok {
		requested["name"] = strings.TrimSpace(name)
	}
	for name, v := range requested {
		switch x := v.(type) {
		case timeLimit:
			if requested[name] = x.seconds; x.null {
				delete(requested, name)
			}
		case retentionDays:
			if requested[name] = x.n; x.null {
				delete(requested, name)
			}
		case serverURL:
			if requested[name] = x.url; x.null {
				delete(requested, name)
			}
		case group.Update:
			groups[name] = x
			delete(requested, name)
		case map[string]bool:
			delete(requested, name)
			for m := range x {
				if m != emailMethod {
					return nil, errs.Bad("Invalid authentication method: %.40s", m)
				}
			}
			if on, given := x[emailMethod]; given {
				requested["password_auth"] = on
			}
		}
	}
	return groups, nil
}

// checkPermission checks that the caller's role permits changing all requested settings, and that the caller can see
// the channels in them. Errors: UnauthorizedPrincipal, BadRequest.
func checkPermission(v *directory.View, a kit.Actor, requested map[string]any, groups map[string]group.Update) error {
	required := user.Admin
	for name := range requested {
		required = min(required, realm.MayChange(name))
	}
	for name := range groups {
		required = min(required, realm.MayChange(name))
	}
	if err := permission.CheckRole(v, a, required); err != nil {
		return err
	}
	for _, name := range channelSettings {
		id, ok := requested[name].(int64)
		if !ok || id == -1 {
			continue
		}
		c := v.Channel(channel.ID(id))
		if c == nil || c.Archived || !a.System && !permission.SeesChannel(v, c, v.User(a.User)) {
			return channel.Invalid()
		}
		if name == "moderation_request_channel_id" && !c.Private {
			return errs.Bad("Moderation request channel must be private.")
		}
	}
	return nil
}

// events returns the events for changes of settings: one event for all settings in realm.InDict, and one for each other
// setting.
func (s *service) events(
	ctx context.Context,
	v *directory.View,
	now *realm.Realm,
	changes []setting.Change,
) ([]event.Event, error) {
	var single []event.Event // one event per setting
	data := map[string]any{}
	plain := plainKeys(now.Settings)
	for _, c := range changes {
		name, value := c.Name, c.Value
		if name == "password_auth" {
			name = "authentication_methods"
		}
		if x, ok := plain[name]; ok {
			value = x
		}
		keys := map[string]any{name: value}
		maps.Copy(keys, legacyKeys(name, value))
		if !realm.InDict(c.Name) {
			if err := s.addAliases(ctx, keys); err != nil {
				return nil, err
			}
			for _, name := range slices.Sorted(maps.Keys(keys)) {
				single = append(single, updated.To(now.ID, event.Everyone(), property{name, value}))
			}
			continue
		}
		if name == "description" {
			html, err := s.describe(ctx, v, now)
			if err != nil {
				return nil, err
			}
			keys["rendered_description"] = html
		}
		maps.Copy(data, keys)
	}
	if len(data) == 0 {
		return single, nil
	}
	return append([]event.Event{updatedDict.To(now.ID, event.Everyone(), dict{"default", data})}, single...), nil
}

// describe returns the realm's description as HTML.
func (s *service) describe(ctx context.Context, v *directory.View, r *realm.Realm) (string, error) {
	out, err := s.Renderer.Render(ctx, v, markdown.Source{Text: r.Settings.Description, Description: true})
	return out.HTML, err
}
