package permission

import (
	"slices"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Settings returns the permission settings of a scope with their defaults: group.OfRealm, group.OfStream,
// group.OfGroup.
func Settings(s group.Scope) []group.Rule { return group.Rules(s) }

// Rule returns the permission setting with a wire name; false if there is none.
func Rule(s group.Scope, name string) (group.Rule, bool) {
	for _, r := range group.Rules(s) {
		if r.Name == name {
			return r, true
		}
	}
	return group.Rule{}, false
}

// Default returns the default value of a setting. creator is the user who creates the channel or group, 0 for none.
func Default(r group.Rule, creator user.ID) group.Setting {
	switch {
	case r.Default != group.Creator:
		return group.Named(r.Default)
	case creator == 0:
		return group.Named(group.Nobody)
	}
	return group.Setting{Members: user.Set{creator}}
}

// CheckSetting checks a new, untrusted value of a permission setting. Errors: SystemGroupRequired with setting_name;
// BadRequest for groups and users that do not exist or are inactive, for system groups that the setting does not
// accept, for more than group.MaxNamed names, and for values that include no user if the setting does not accept
// role:nobody. That is checked only when the value is set: whoever manages the named groups can empty them later.
func CheckSetting(v *directory.View, s group.Scope, name string, value group.Setting) error {
	r, ok := Rule(s, name)
	if !ok {
		return errs.Bad("Invalid setting: %s", name)
	}
	return CheckValue(v, r, value)
}

// CheckValue is CheckSetting for a rule, such as that of a setting that a module stores itself.
func CheckValue(v *directory.View, r group.Rule, value group.Setting) error {
	value = value.Normal()
	if err := checkNames(v, r, value); err != nil {
		return err
	}
	if !r.Nobody && !anybody(v, r, value) {
		return errGroupRefused(r, group.SystemName(group.Nobody))
	}
	return nil
}

// anybody reports whether a value gives the permission to any user except for bots.
func anybody(v *directory.View, r group.Rule, value group.Setting) bool {
	return slices.ContainsFunc(Members(v, value), func(id user.ID) bool {
		u := v.User(id)
		return u != nil && !u.IsBot() && (r.Everyone || !u.IsGuest())
	})
}

// checkNames checks the groups and users named by a value.
func checkNames(v *directory.View, r group.Rule, value group.Setting) error {
	if value.Group != 0 {
		return checkGroup(v, r, value.Group)
	}
	if r.System {
		return errSystemRequired(r.Name)
	}
	if value.Size() > group.MaxNamed {
		return errs.Bad(
			"'%s' can name at most %d users and groups. Put them into a user group, and name that.",
			r.Name,
			group.MaxNamed,
		)
	}
	for _, id := range value.Subgroups {
		if err := checkGroup(v, r, id); err != nil {
			return err
		}
	}
	for _, id := range value.Members {
		if u := v.User(id); u == nil || !u.Active || u.System {
			return errs.Bad("Invalid user ID: %d", id)
		}
	}
	return nil
}

func checkGroup(v *directory.View, r group.Rule, id group.ID) error {
	g := v.Group(id)
	switch {
	case g == nil:
		return errs.Bad("Invalid user group ID: %d", id)
	case r.System && !g.System:
		return errSystemRequired(r.Name)
	case g.Deactivated:
		return errs.Bad("User group is deactivated.")
	case !r.Accepts(id):
		return errGroupRefused(r, g.Name)
	case r.Guarded && !guarded(v, id):
		return errs.Bad("'%s' can only be a group whose members are managed by administrators alone.", r.Name)
	}
	return nil
}

// guarded reports whether only administrators can change the membership of a group and of the groups in it, apart from
// users leaving it.
func guarded(v *directory.View, id group.ID) bool {
	admins := v.WithRole(user.Owner).Union(v.WithRole(user.Admin))
	others := func(may group.Setting) bool { return len(Members(v, may).Minus(admins)) > 0 }
	for _, id := range Subgroups(v, id).Union(group.Set{id}) {
		g := v.Group(id)
		if g == nil || g.System {
			continue
		}
		if v.Realm() != nil && others(v.Realm().Settings.Groups["can_manage_all_groups"]) {
			return false
		}
		for _, name := range []string{"can_manage_group", "can_add_members_group", "can_join_group",
			"can_remove_members_group"} {
			if others(g.Permissions[name]) {
				return false
			}
		}
	}
	return true
}

func errGroupRefused(r group.Rule, name string) error {
	return errs.Bad("'%s' setting cannot be set to '%s' group.", r.Name, name)
}

func errSystemRequired(name string) error {
	return errs.New(errs.SystemGroupRequired, "'%s' must be a system user group.", name).With("setting_name", name)
}

// CheckUpdate checks an update of a setting against its current value. Errors: Expectation with field_name if old is
// given and matches neither the current value nor the form sent to clients; those of CheckSetting.
func CheckUpdate(v *directory.View, s group.Scope, name string, now group.Setting, up group.Update) error {
	r, ok := Rule(s, name)
	if !ok {
		return errs.Bad("Invalid setting: %s", name)
	}
	return CheckRuleUpdate(v, r, now, up)
}

// CheckRuleUpdate is CheckUpdate for the rule of a setting, such as of one that a module declares.
func CheckRuleUpdate(v *directory.View, r group.Rule, now group.Setting, up group.Update) error {
	if up.Old != nil && !up.Old.Equal(now) && !up.Old.Equal(Shown(v, now)) {
		return errs.New(errs.Expectation, "'old' value does not match the expected value.").With("field_name", r.Name)
	}
	if up.New.Equal(now) {
		return nil
	}
	return CheckValue(v, r, up.New)
}

// Allowed reports whether u holds a permission with the given value. Settings that do not accept role:everyone never
// admit guests, even if named.
func Allowed(v *directory.View, s group.Scope, name string, value group.Setting, u user.ID) bool {
	r, ok := Rule(s, name)
	return admits(v, r.Everyone || !ok, value, u)
}

// admits reports whether a value includes u. Guests must also be accepted by the setting.
func admits(v *directory.View, guests bool, value group.Setting, u user.ID) bool {
	holder := v.User(u)
	return holder != nil && (guests || !holder.IsGuest()) && In(v, value, u)
}

// Holds reports whether u has a permission of the realm, such as can_invite_users_group, or one that a module declares.
func Holds(v *directory.View, u user.ID, setting string) bool {
	if v.Realm() == nil {
		return false
	}
	if value, ok := v.Realm().Settings.Groups[setting]; ok {
		return Allowed(v, group.OfRealm, setting, value, u)
	}
	s := declared.In(v).Setting(declared.OfRealm, setting)
	return s != nil && holdsDeclared(v, u, s, 0)
}

// HoldsIn reports whether u has a permission in a channel that a module declares.
func HoldsIn(v *directory.View, u user.ID, setting declared.Channel[group.Setting], c channel.ID) bool {
	return holdsDeclared(v, u, setting.Setting, int64(c))
}

func holdsDeclared(v *directory.View, u user.ID, s *declared.Setting, id int64) bool {
	value, ok := declared.In(v).Value(s, id).(group.Setting)
	return ok && admits(v, s.Rule.Everyone, value, u)
}

// Shown returns a value as sent to clients, without deactivated users.
func Shown(v *directory.View, s group.Setting) group.Setting {
	if s.Group == 0 {
		s.Members = s.Members.And(v.Active())
	}
	return s.Normal()
}
