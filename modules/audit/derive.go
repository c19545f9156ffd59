package audit

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/user"
)

// derive returns the facts that follow from the changes of shared facts.
func derive(c *audit.Committing) []audit.Fact {
	d := deriving{Committing: c}
	for _, change := range c.Changes {
		d.change(change)
	}
	return d.facts
}

type deriving struct {
	*audit.Committing
	facts   []audit.Fact
	created user.Set // users that this transaction has created
}

func (d *deriving) add(a audit.Action, t audit.Target, old, now audit.Values) {
	d.facts = append(d.facts, audit.Fact{Realm: d.Realm, Action: a, Target: t, Old: old, New: now})
}

func (d *deriving) change(c directory.Change) {
	switch {
	case c.Realm != nil:
		d.realm(c.Realm.Old, c.Realm.New)
	case c.User != nil:
		d.user(c.User.Old, c.User.New)
	case c.Channel != nil:
		d.channel(c.Channel.Old, c.Channel.New)
	case c.Group != nil:
		d.group(c.Group.Old, c.Group.New)
	case c.Members != nil:
		d.members(c.Members)
	case c.Subs != nil:
		d.subscribers(c.Subs)
	case c.Session != nil && c.Session.Old == nil:
		d.login(c.Session.New)
	case c.Session != nil && c.Session.New == nil:
		d.add(audit.SessionEnded, audit.To(audit.Session, c.Session.Old.ID), audit.Values{"user": c.Session.Old.User}, nil)
	case c.Sessions != nil:
		d.add(audit.SessionsEnded, d.itself(), nil, audit.Values{"last_session": c.Sessions.Last})
	case c.Slot != nil:
		d.slot(c)
	}
}

// login adds the fact that a user has logged in. The request has no login yet.
func (d *deriving) login(s *session.Session) {
	by := d.By
	by.User, by.Session = s.User, s.ID
	d.facts = append(d.facts, audit.Fact{
		Realm: d.Realm, Action: audit.LoginSucceeded, Target: audit.To(audit.User, s.User),
		New: audit.Values{"session": s.ID}, By: &by,
	})
}

func (d *deriving) itself() audit.Target { return audit.To(audit.Realm, d.Realm) }

func (d *deriving) realm(old, now *realm.Realm) {
	switch {
	case now == nil:
		return
	case old == nil:
		d.add(audit.RealmCreated, d.itself(), nil, audit.Values{"string_id": now.StringID, "name": now.Settings.Name})
		return
	}
	if old.Deactivated != now.Deactivated {
		a := audit.RealmReactivated
		if now.Deactivated {
			a = audit.RealmDeactivated
		}
		d.add(a, d.itself(), nil, nil)
	}
	for _, part := range []struct {
		action   audit.Action
		old, now any
	}{
		{audit.RealmSettingChanged, old.Settings, now.Settings},
		{audit.RealmDefaultsChanged, old.NewUserSettings(), now.NewUserSettings()},
		{audit.RealmDomainsChanged, wrapped{old.Domains}, wrapped{now.Domains}},
		{audit.RealmEmblemChanged, wrapped{old.Emblems}, wrapped{now.Emblems}},
		{audit.RealmDeletionChanged, wrapped{old.DeleteAfter}, wrapped{now.DeleteAfter}},
	} {
		if was, is := audit.Differences(part.old, part.now, "groups"); is != nil {
			d.add(part.action, d.itself(), was, is)
		}
	}
}

// wrapped makes an object of a value, so that differences can compare it.
type wrapped struct {
	Value any `json:"value"`
}

func (d *deriving) user(old, now *user.User) {
	of := func(person, robot audit.Action) audit.Action {
		if now.IsBot() {
			return robot
		}
		return person
	}
	switch {
	case now == nil, now.System:
		return
	case old == nil:
		d.created = d.created.Union(user.Set{now.ID})
		values := audit.Values{"full_name": now.FullName, "role": now.Role}
		if now.IsBot() {
			values["bot_type"], values["bot_owner"] = now.BotType, now.BotOwner
		}
		d.add(of(audit.UserCreated, audit.BotCreated), audit.To(audit.User, now.ID), nil, values)
		return
	}
	t := audit.To(audit.User, now.ID)
	if now.Erased() && !old.Erased() {
		d.add(audit.UserErased, t, nil, nil)
		return
	}
	changed := func(a audit.Action, name string, was, is any) {
		if was != is {
			d.add(a, t, audit.Values{name: was}, audit.Values{name: is})
		}
	}
	switch {
	case old.Active && !now.Active:
		d.add(of(audit.UserDeactivated, audit.BotDeactivated), t, nil, nil)
	case !old.Active && now.Active:
		d.add(of(audit.UserReactivated, audit.BotReactivated), t, nil, nil)
	}
	changed(of(audit.UserRenamed, audit.BotRenamed), "full_name", old.FullName, now.FullName)
	if old.DeliveryEmail != now.DeliveryEmail { // owners may not see all addresses
		secret := audit.Values{"delivery_email": audit.Secret}
		d.add(of(audit.UserEmailChanged, audit.BotEmailChanged), t, secret, secret)
	}
	changed(of(audit.UserRoleChanged, audit.BotRoleChanged), "role", old.Role, now.Role)
	changed(audit.BotOwnerChanged, "bot_owner", old.BotOwner, now.BotOwner)
	for _, k := range now.Keys {
		if !slices.Contains(old.Keys, k) {
			d.add(of(audit.UserKeyIssued, audit.BotKeyIssued), t, nil, audit.Values{"key": k[:min(len(k), keyDigits)]})
		}
	}
	for _, k := range old.Keys {
		if !slices.Contains(now.Keys, k) {
			d.add(of(audit.UserKeyRevoked, audit.BotKeyRevoked), t, audit.Values{"key": k[:min(len(k), keyDigits)]}, nil)
		}
	}
	if d.By.User != 0 && d.By.User != now.ID {
		a := of(audit.UserProfileChanged, audit.BotChanged)
		changed(a, "avatar", old.Avatar, now.Avatar)
		if was, is := audit.Differences(old.Settings, now.Settings); is != nil && !now.IsBot() {
			d.add(a, t, was, is)
		}
	}
}

// permissions are the fields of a channel that decide who may do what.
var permissions = []string{"private", "web_public", "history_public", "permissions"}

// automatic are the fields of a channel that the server sets.
var automatic = []string{"rendered", "first_message", "weekly", "quiet", "archived"}

func (d *deriving) channel(old, now *channel.Channel) {
	switch {
	case old == nil:
		_, is := audit.Differences(channel.Channel{}, *now, "permissions")
		without(is, automatic...)
		d.add(audit.ChannelCreated, audit.To(audit.Channel, now.ID), nil, is)
		return
	case now == nil:
		d.add(audit.ChannelDeleted, audit.To(audit.Channel, old.ID), audit.Values{"name": old.Name}, nil)
		return
	}
	t := audit.To(audit.Channel, now.ID)
	if old.Archived != now.Archived {
		a := audit.ChannelUnarchived
		if now.Archived {
			a = audit.ChannelArchived
		}
		d.add(a, t, audit.Values{"name": old.Name}, audit.Values{"name": now.Name})
	}
	d.changedAnd(audit.ChannelChanged, audit.ChannelPermissionChanged, t, *old, *now, automatic)
}

// changedAnd adds one fact of changed fields, and another one of those that are permissions.
func (d *deriving) changedAnd(plain, permission audit.Action, t audit.Target, old, now any, except []string) {
	was, is := audit.Differences(old, now)
	without(was, except...)
	without(is, except...)
	oldRules, newRules := take(was, permissions...), take(is, permissions...)
	if len(oldRules)+len(newRules) > 0 {
		oldRules, newRules = audit.Differences(oldRules, newRules, "permissions")
		d.add(permission, t, oldRules, newRules)
	}
	if len(was)+len(is) > 0 {
		d.add(plain, t, was, is)
	}
}

func (d *deriving) group(old, now *group.Group) {
	switch {
	case old == nil && now.System:
		return
	case old == nil:
		_, is := audit.Differences(group.Group{}, *now, "permissions")
		d.add(audit.GroupCreated, audit.To(audit.Group, now.ID), nil, is)
		return
	case now == nil:
		d.add(audit.GroupDeleted, audit.To(audit.Group, old.ID), audit.Values{"name": old.Name}, nil)
		return
	}
	t := audit.To(audit.Group, now.ID)
	if old.Deactivated != now.Deactivated {
		a := audit.GroupReactivated
		if now.Deactivated {
			a = audit.GroupDeactivated
		}
		d.add(a, t, nil, nil)
	}
	was, is := audit.Differences(*old, *now)
	if was, is = take(was, "subgroups"), take(is, "subgroups"); len(was)+len(is) > 0 {
		d.add(audit.GroupSubgroupsChanged, t, was, is)
	}
	d.changedAnd(audit.GroupChanged, audit.GroupPermissionChanged, t, *old, *now,
		[]string{"deactivated", "members", "subgroups"})
}

// maxListed is the maximum number of users that an entry lists.
const maxListed = 1000

func (d *deriving) members(m *directory.Members) {
	if g := d.View.Group(m.Group); g != nil && g.System {
		return // follows from roles
	}
	d.listed(audit.GroupMembersChanged, audit.To(audit.Group, m.Group), "removed", m.Remove, "added", m.Add)
}

// subscribers adds facts about subscriptions that users have not made themselves, and about those to private channels.
func (d *deriving) subscribers(s *directory.Subs) {
	c := d.View.Channel(s.Channel)
	add := s.Add.Minus(d.created) // new users get the default channels
	open := c != nil && !c.Private
	own := func(who user.Set) bool { return open && len(who) == 1 && who.Has(d.By.User) }
	t := audit.To(audit.Channel, s.Channel)
	if len(add) > 0 && !own(add) {
		d.listed(audit.ChannelSubscribersAdded, t, "", nil, "users", add)
	}
	if len(s.Remove) > 0 && !own(s.Remove) {
		d.listed(audit.ChannelSubscribersGone, t, "users", s.Remove, "", nil)
	}
}

func (d *deriving) listed(a audit.Action, t audit.Target, oldName string, old user.Set, newName string, now user.Set) {
	list := func(name string, who user.Set) audit.Values {
		if len(who) == 0 {
			return nil
		}
		v := audit.Values{name: []user.ID(who)}
		if len(who) > maxListed {
			v = audit.Values{name + "_count": len(who)}
		}
		return v
	}
	d.add(a, t, list(oldName, old), list(newName, now))
}

func (d *deriving) slot(c directory.Change) {
	if e, ok := emoji.Shared.Of(c); ok {
		d.custom(e)
	}
	if l, ok := linkifier.Shared.Of(c); ok {
		d.linkifier(l)
	}
	if b, ok := bot.Shared.Of(c); ok {
		d.bot(b)
	}
	if s, ok := declared.Shared.Of(c); ok {
		d.setting(s)
	}
}

// setting adds the change of a setting that a module declares, unless it is a personal one.
func (d *deriving) setting(c declared.Change) {
	find := declared.In(d.View).Setting
	if s := find(declared.OfRealm, c.Key); s != nil {
		d.add(audit.RealmSettingChanged, d.itself(), valueOf(s, c.Old), valueOf(s, c.New))
	}
	if s := find(declared.OfChannel, c.Key); s != nil {
		a := audit.ChannelChanged
		if s.Rule != nil {
			a = audit.ChannelPermissionChanged
		}
		d.add(a, audit.To(audit.Channel, c.ID), valueOf(s, c.Old), valueOf(s, c.New))
	}
}

// valueOf returns the value of a setting before or after a change.
func valueOf(s *declared.Setting, set json.RawMessage) audit.Values {
	if set == nil {
		return audit.Values{s.Key: s.Default}
	}
	return audit.Values{s.Key: set}
}

func (d *deriving) custom(c directory.Swap[emoji.Custom]) {
	switch {
	case c.New == nil:
	case c.Old == nil:
		d.add(audit.EmojiAdded, audit.To(audit.Emoji, c.New.ID), nil, audit.Values{"name": c.New.Name})
	case c.New.Deactivated && !c.Old.Deactivated:
		d.add(audit.EmojiDeactivated, audit.To(audit.Emoji, c.New.ID), audit.Values{"name": c.Old.Name}, nil)
	}
}

func (d *deriving) linkifier(c directory.Swap[linkifier.Linkifier]) {
	was, is := audit.Differences(orZero(c.Old), orZero(c.New))
	switch {
	case c.Old == nil:
		d.add(audit.LinkifierAdded, audit.To(audit.Linkifier, c.New.ID), nil, is)
	case c.New == nil:
		d.add(audit.LinkifierRemoved, audit.To(audit.Linkifier, c.Old.ID), was, nil)
	default:
		d.add(audit.LinkifierChanged, audit.To(audit.Linkifier, c.New.ID), was, is)
	}
}

func (d *deriving) bot(c directory.Swap[bot.Bot]) {
	was, is := audit.Differences(orZero(c.Old), orZero(c.New))
	id := orZero(c.New).ID
	if id == 0 {
		id = c.Old.ID
	}
	d.add(audit.BotChanged, audit.To(audit.User, id), was, is)
}

func orZero[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// without removes values.
func without(v audit.Values, names ...string) {
	for _, name := range names {
		delete(v, name)
	}
}

// take removes values and returns them.
func take(v audit.Values, names ...string) audit.Values {
	var out audit.Values
	for _, name := range names {
		if value, ok := v[name]; ok {
			if out == nil {
				out = audit.Values{}
			}
			out[name] = value
			delete(v, name)
		}
	}
	return out
}

// about returns the user whom the values of a fact are about, or 0.
func about(f audit.Fact) user.ID {
	if f.Target.Kind != audit.User {
		return 0
	}
	id, _ := strconv.ParseInt(f.Target.ID, 10, 64)
	return user.ID(id)
}
