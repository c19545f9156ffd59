package access_test

import (
	"context"
	"fmt"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/modules/kit"
)

var motto = declared.Text("", 100)

// settingsModule declares settings of each scope, and a slash command.
var settingsModule = kit.Define("mottoes", "Declares settings, for a test.", kit.None{},
	func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Settings: []declared.Any{
			declared.ForRealm("realm_motto", motto, "Motto", "The motto of the organization."),
			declared.ForRealm("owners_motto", motto, "Owners' motto", "The motto of the owners.").ByOwners(),
			declared.ForUser("own_motto", motto, "My motto", "The motto of the user."),
			declared.ForChannel("channel_motto", motto, "Motto", "The motto of the channel."),
		}, Slash: []kit.SlashCommand{
			kit.Slash("motto", kit.Users, func(_ context.Context, _ kit.Actor, in kit.Slashed) (string, error) {
				return in.Text, nil
			}, "Repeats a motto."),
		}}, nil
	})

// settingsRows describes the routes for settings that modules declare.
func settingsRows() []*row {
	says := func(call, key string) func(*fixture, cell) *kittest.Response {
		return func(w *fixture, x cell) *kittest.Response {
			return w.ask(x.c, call+x.o.fields["id"], "settings", fmt.Sprintf(`{%q:%q}`, key, w.fresh()))
		}
	}
	return []*row{
		{route: "PATCH /stoa/settings/realm", rule: "Administrators.", who: admins,
			do: says("PATCH /stoa/settings/realm", "realm_motto")},
		{route: "PATCH /stoa/settings/realm", name: "of owners", rule: "Owners.", who: owners,
			do: says("PATCH /stoa/settings/realm", "owners_motto")},
		{route: "PATCH /stoa/settings/user", rule: "Users other than bots, for themselves.", who: humans,
			do: says("PATCH /stoa/settings/user", "own_motto")},
		{route: "PATCH /stoa/settings/channels/:stream_id", rule: "Administrators of the realm and of the channel.",
			who: users, on: channels(), may: cell.administers,
			do: says("PATCH /stoa/settings/channels/", "channel_motto")},
	}
}
