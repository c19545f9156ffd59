package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

func TestBots(t *testing.T) {
	const owner, admin, member, guest, helper, mighty, system user.ID = 1, 2, 3, 4, 5, 6, 7
	b := &directory.Builder{}
	set := realm.Defaults()
	set.Groups = map[string]group.Setting{
		"can_create_bots_group":            group.Named(group.Administrators),
		"can_create_write_only_bots_group": group.Named(group.Members),
	}
	b.Realm(&realm.Realm{ID: 1, Settings: set})
	for _, u := range []user.User{
		{ID: owner, Role: user.Owner, Active: true}, {ID: admin, Role: user.Admin, Active: true},
		{ID: member, Role: user.Member, Active: true},
		{ID: guest, Role: user.Guest, Active: true}, {ID: helper, Role: user.Member, Active: true, BotType: user.GenericBot,
			BotOwner: member},
		{ID: mighty, Role: user.Owner, Active: true, BotType: user.GenericBot, BotOwner: member},
		{ID: system, Role: user.Member, Active: true, BotType: user.GenericBot, System: true}, {ID: 8, Role: user.Member},
	} {
		b.User(&u)
	}
	v := b.View(1)
	for _, c := range []struct {
		u    user.ID
		typ  user.BotType
		want bool
	}{
		{admin, user.GenericBot, true}, {member, user.GenericBot, false}, {member, user.OutgoingWebhook, false},
		{member, user.IncomingWebhook, true}, {admin, user.IncomingWebhook, true}, {guest, user.IncomingWebhook, false},
		{99, user.IncomingWebhook, false},
	} {
		if got := permission.CreatesBot(v, c.u, c.typ); got != c.want {
			t.Errorf("%d may create bots of type %d: %v", c.u, c.typ, got)
		}
	}
	for _, c := range []struct {
		u, bot user.ID
		want   errs.Code
	}{
		{member, helper, ""}, {admin, helper, ""}, {owner, helper, ""}, {guest, helper, errs.BadRequest},
		{8, helper, errs.BadRequest},
		{member, mighty, ""}, {owner, mighty, ""}, {admin, mighty, errs.UnauthorizedPrincipal},
		{owner, system, errs.BadRequest}, {owner, member, errs.BadRequest}, {owner, 99, errs.BadRequest},
	} {
		err := permission.CheckManagesBot(v.User(c.u), v.User(c.bot))
		if (err == nil) != (c.want == "") || err != nil && !errs.Is(err, c.want) {
			t.Errorf("%d changes %d: %v", c.u, c.bot, err)
		}
	}
	for _, c := range []struct {
		u, to user.ID
		role  user.Role
		want  bool
	}{
		{member, admin, user.Member, true}, {member, member, user.Member, true}, {member, member, user.Moderator, false},
		{member, admin, user.Admin, true}, {member, admin, user.Owner, false}, {admin, member, user.Moderator, true},
		{admin, member, user.Admin, true}, {admin, member, user.Owner, false}, {owner, member, user.Owner, true},
	} {
		if err := permission.CheckTransferBot(v.User(c.u), v.User(c.to), c.role); (err == nil) != c.want {
			t.Errorf("%d may transfer a bot of role %d to %d: %v", c.u, c.role, c.to, err)
		}
	}
	for role, want := range map[user.Role]int{user.Owner: 0, user.Admin: 1, user.Member: 1, user.Guest: 2} {
		now := *v.User(member)
		now.Role = role
		if got := permission.BotsAboveOwner(v, &now); len(got) != want {
			t.Errorf("with the owner in role %d, %d bots are demoted, want %d", role, len(got), want)
		}
	}
	for id, want := range map[user.ID]bool{owner: true, member: true, guest: false, helper: false, system: false, 8: false,
		99: false} {
		if err := permission.CheckBotOwner(v, v.User(owner), v.User(id)); (err == nil) != want {
			t.Errorf("%d owns bots: %v", id, err)
		}
	}
}
