package registry

import (
	"context"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/modules/kit"
)

func TestContributions(t *testing.T) {
	type a struct {
		A int `json:"a"`
	}
	type b struct {
		B int `json:"b"`
	}
	ofA := func(context.Context, kit.Actor, a) (kit.None, error) { return kit.None{}, nil }
	ofB := func(context.Context, kit.Actor, b) (kit.None, error) { return kit.None{}, nil }
	job := kit.Job{Name: "sweep", Every: time.Hour, Run: func(context.Context) error { return nil }}
	rows := func(all ...kit.Endpoint) kit.Parts { return kit.Parts{Endpoints: all} }
	tables := func(all ...kit.Table) kit.Parts { return kit.Parts{Tables: all} }
	type stamp struct {
		bun.BaseModel `bun:"table:stamps"`
		ID            int64 `bun:",pk" export:"yes"`
		RealmID       int64
		Color         string
	}
	type part struct {
		bun.BaseModel `bun:"table:parts"`
		StampID       int64 `bun:",pk" owner:"stamps"`
	}
	type sheet struct {
		bun.BaseModel `bun:"table:sheets"`
		Row           int64 `bun:",pk" export:"yes"`
		Column        int64 `bun:",pk" export:"yes"`
	}
	type numbered struct {
		ID int64 `json:"id"`
	}
	type queued struct {
		ID string `json:"queue_id"`
	}
	slash := func(name string, a kit.Access) kit.Parts {
		run := func(context.Context, kit.Actor, kit.Slashed) (string, error) { return "", nil }
		return kit.Parts{Slash: []kit.SlashCommand{kit.Slash(name, a, run, "Licks a stamp.")}}
	}
	set := func(s declared.Any) kit.Parts { return kit.Parts{Settings: []declared.Any{s}} }
	for _, c := range []struct {
		name string
		all  []kit.Contribution
		want string
	}{
		{"sound", []kit.Contribution{{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""))}}, ""},
		{"no rule", []kit.Contribution{{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Access{}, ofA, ""))}},
			"module m: GET /y/:a has no access rule; set kit.Users, kit.Admins, ... or kit.Anyone"},
		{"the same route", []kit.Contribution{
			{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""))},
			{Module: "n", Parts: rows(kit.GET("/y/:b", kit.Users, ofB, ""))},
		}, "module n: GET /y/:b answers the same requests as a route of module m; keep one"},
		{"another method", []kit.Contribution{{Module: "m",
			Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""), kit.POST("/y/:b", kit.Users, ofB, ""))}}, ""},
		{"at the root too", []kit.Contribution{{Module: "m",
			Parts: rows(kit.GET("/y/:a", kit.Users, ofA, ""), kit.GET("/y/:b", kit.Users, ofB, "").AtRoot())}}, ""},
		{"jobs of two modules", []kit.Contribution{
			{Module: "m", Parts: kit.Parts{Jobs: []kit.Job{job}}}, {Module: "n", Parts: kit.Parts{Jobs: []kit.Job{job}}},
		}, ""},
		{"jobs of one module", []kit.Contribution{{Module: "m", Parts: kit.Parts{Jobs: []kit.Job{job, job}}}},
			"module m: job m.sweep is also in the same module; keep one"},
		{"tables of two modules", []kit.Contribution{
			{Module: "m", Parts: tables(kit.NotExported[stamp]("stamps are elsewhere"))},
			{Module: "n", Parts: tables(kit.NotExported[stamp]("stamps are elsewhere"))},
		}, "module n: table stamps is also in module m; keep one"},
		{"not repeatable", []kit.Contribution{{Module: "m", Parts: kit.Parts{Hooks: []kit.Hook{
			kit.On(func(context.Context, *a) error { return nil }).Again(),
		}}}}, "module m: the hook of registry.a cannot run again after an absence; see kit.Hook.Again"},
		{"no doc", []kit.Contribution{{Module: "m", Parts: tables(kit.NotExported[stamp](""))}},
			`module m: the table "stamps" needs a doc, or the reason why it is not exported`},
		{"no such owner", []kit.Contribution{{Module: "m", Parts: tables(kit.NotExported[part]("parts are elsewhere"))}},
			`module m: the table "parts" is owned by "stamps", which is not a table of the module with a key of one column`},
		{"no such table", []kit.Contribution{{Module: "m", Parts: tables(kit.ExportedWithin[stamp]("letters"))}},
			`module m: the table "stamps" is exported within "letters", which is not a table of the module`},
		{"no realm", []kit.Contribution{{Module: "m", Parts: tables(kit.Exported[sheet]("A sheet."))}},
			`module m: the table "sheets" is exported, but has no primary key or no column with the realm`},
		{"no single key", []kit.Contribution{{Module: "m", Parts: tables(kit.NotExported[sheet]("elsewhere").ByKey())}},
			`module m: the table "sheets" is deleted by key, but its key is not a single column`},
		{"an event with an id", []kit.Contribution{{Module: "m", Parts: kit.Parts{
			Events: []kit.AnyEvent{kit.Event[numbered]("stamps", "add").Any()},
		}}}, "module m: event stamps/add has a field id in its payload, which every event has; choose another name"},
		{"the queue's key", []kit.Contribution{{Module: "m", Parts: kit.Parts{
			Register: []kit.Section{kit.Register("stamps", func(context.Context, kit.Actor, event.Client) (queued, error) {
				return queued{}, nil
			})},
		}}}, `module m: register section "stamps" has the key queue_id, which every response to /register has; choose another`},
		{"a setting twice", []kit.Contribution{
			{Module: "m", Parts: set(declared.ForRealm("stamps", declared.Bool(true), "Stamps", "Doc."))},
			{Module: "n", Parts: set(declared.ForUser("stamps", declared.Bool(true), "Stamps", "Doc."))},
		}, "module n: setting stamps is also in module m; keep one"},
		{"a setting of the server", []kit.Contribution{
			{Module: "m", Parts: set(declared.ForUser("enter_sends", declared.Bool(true), "Enter", "Doc."))},
		}, "module m: setting enter_sends has the key of a setting of the server; choose another"},
		{"a permission of the server", []kit.Contribution{
			{Module: "m", Parts: set(declared.ForRealm("can_subscribe_group", declared.Bool(true), "Join", "Doc."))},
		}, "module m: setting can_subscribe_group has the key of a setting of the server; choose another"},
		{"a wrong default", []kit.Contribution{
			{Module: "m", Parts: set(declared.ForRealm("stamps", declared.Int(9, 1, 5), "Stamps", "Doc."))},
		}, "module m: setting stamps: its default is refused: stamps must be from 1 to 5"},
		{"no setting", []kit.Contribution{{Module: "m", Parts: set(declared.Realm[bool]{})}},
			"module m: has an empty setting; create it with declared.ForRealm, ForUser or ForChannel"},
		{"slash commands", []kit.Contribution{
			{Module: "m", Parts: slash("lick", kit.Users)}, {Module: "n", Parts: slash("stick", kit.Users)},
		}, ""},
		{"a slash command twice", []kit.Contribution{
			{Module: "m", Parts: slash("lick", kit.Users)}, {Module: "n", Parts: slash("lick", kit.Users)},
		}, "module n: slash command /lick is also in module m; keep one"},
		{"a slash command of the server", []kit.Contribution{{Module: "m", Parts: slash("poll", kit.Users)}},
			"module m: slash command /poll: it has the name of a command of the server; choose another"},
		{"a slash command with capitals", []kit.Contribution{{Module: "m", Parts: slash("Lick", kit.Users)}},
			"module m: slash command /Lick: its name must consist of at most 30 lower-case letters, digits and -"},
		{"a slash command for everybody or nobody", []kit.Contribution{{Module: "m", Parts: slash("lick", kit.Access{})}},
			"module m: slash command /lick: it needs an access rule and a handler; create it with kit.Slash"},
		{"a slash command for holders of an unknown setting", []kit.Contribution{
			{Module: "m", Parts: slash("lick", kit.Holders("lickers"))},
		}, "module m: /lick admits the holders of lickers, which is no permission of the organization; declare it in " +
			"Settings, with declared.ForRealm and declared.Group"},
		{"holders of a setting of another module", []kit.Contribution{
			{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Holders("stampers"), ofA, ""))},
			{Module: "n", Parts: set(declared.ForRealm("stampers", declared.Group(group.Rule{Default: group.Members}),
				"Stampers", "Doc."))},
		}, ""},
		{"holders of an unknown setting", []kit.Contribution{
			{Module: "m", Parts: rows(kit.GET("/y/:a", kit.Holders("stampers"), ofA, ""))},
			{Module: "n", Parts: set(declared.ForRealm("stampers", declared.Bool(true), "Stampers", "Doc."))},
		}, "module m: GET /y/:a admits the holders of stampers, which is no permission of the organization; declare it in " +
			"Settings, with declared.ForRealm and declared.Group"},
		{"not tagged", []kit.Contribution{{Module: "m", Parts: tables(kit.Exported[stamp]("A stamp."))}},
			"module m: stamps.color needs a tag export that begins with yes, private or no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Contributions(c.all).Error(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
