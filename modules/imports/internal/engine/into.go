package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// home is the existing organization into which an archive is imported.
//
// People with the address of somebody there become that account, whose role, profile and state stay. Others are
// created, as members at most. The archive's channels and groups are created, with another name if theirs is in use,
// and no other channels receive messages; direct messages go to their people. Settings, profiles and whatever else
// belongs to the organization as a whole stays as it is.
type home struct {
	view  *directory.View
	known map[string]map[importing.Key]store.Key // what an earlier run has created, by table
	here  map[int64]user.ID                      // the accounts that people of the archive become, by their numbers
}

// joined lists the tables whose rows an import into an existing organization adds.
var joined = []string{
	usersTable, groupsTable, membersTable, subgroupsTable, channelsTable, subscriptionsTable, policiesTable, periodsTable,
}

// visit reads the existing organization, and refuses what cannot be imported into it.
func (t *task) visit(ctx context.Context) error {
	if !t.Into {
		return nil
	}
	if t.Format.Rows {
		return importing.Unusable("an export of this program becomes an organization of its own; import it without --into")
	}
	r, err := t.find(ctx)
	if err != nil {
		return err
	}
	if r == 0 {
		return importing.Unusable("there is no organization %q", t.StringID)
	}
	run, err := t.Store.Run(ctx, r)
	if err != nil {
		return err
	}
	h := &home{known: map[string]map[importing.Key]store.Key{}, here: map[int64]user.ID{}}
	if h.view, err = t.Directory.Verified(ctx, r); err != nil {
		return err
	}
	switch {
	case run == nil && h.view.Realm().Deactivated:
		return importing.Unusable("the organization %q is deactivated", t.StringID)
	case run != nil && run.Forgotten():
		return errForgotten()
	case run != nil && run.Source != t.Format.Name:
		return importing.Unusable("archives of %s were imported into the organization, so that others cannot be", run.Source)
	case run != nil && !run.Joined:
		return importing.Unusable("the organization was created by an import; import later archives of the same workspace " +
			"with --realm")
	}
	for _, table := range []string{usersTable, groupsTable, channelsTable} {
		if h.known[table], err = t.Store.All(ctx, r, table); err != nil {
			return err
		}
	}
	t.home = h
	return nil
}

// fitIn makes the rows of the archive fit into the existing organization.
func (t *task) fitIn() error {
	if t.home == nil {
		return nil
	}
	demoted, matched := 0, 0
	channels := importing.NewNames(channel.MaxName, strings.ToLower, t.home.channelNames()...)
	groups := importing.NewNames(group.MaxName, strings.ToLower, t.home.groupNames()...)
	known := t.numbersOf(usersTable, groupsTable, channelsTable)
	keys := map[string]map[int64]importing.Key{groupsTable: t.keysOf(groupsTable), channelsTable: t.keysOf(channelsTable)}
	t.scan.Rows = slices.DeleteFunc(t.scan.Rows, func(r importing.Row) bool {
		if !slices.Contains(joined, r.Table) {
			t.report.Count(kindOf(r.Table), importing.Skipped, "is not imported into an existing organization", "")
			return true
		}
		return false
	})
	for i := range t.scan.Rows {
		r := &t.scan.Rows[i]
		var line map[string]any
		if r.Table != usersTable && r.Table != groupsTable && r.Table != channelsTable ||
			importing.Decode(r.Line, &line) != nil {
			continue
		}
		number, _ := line["id"].(json.Number)
		n, _ := number.Int64()
		if known[r.Table][n] {
			continue
		}
		name, _ := line["name"].(string)
		switch r.Table {
		case usersTable:
			t.meet(n, line, &demoted, &matched)
		case groupsTable:
			line["name"] = t.free(groups, name, "group", importing.Groups, keys[r.Table][n])
		case channelsTable:
			line["name"] = t.free(channels, name, "channel", importing.Channels, keys[r.Table][n])
			line["is_default"] = false
		}
		text, err := json.Marshal(line)
		if err != nil {
			return err
		}
		r.Line = text
	}
	t.scan.Avatars = slices.DeleteFunc(t.scan.Avatars, func(a importing.Avatar) bool {
		return t.home.here[t.number(usersTable, t.person(a.Person))] != 0
	})
	t.scan.Emoji = slices.DeleteFunc(t.scan.Emoji, func(e importing.Emoji) bool {
		name, err := emoji.CheckName(e.Name)
		if err != nil || emoji.In(t.home.view).Named(name) == nil {
			return false
		}
		t.report.Count(importing.Emojis, importing.Skipped, "an emoji with this name exists here", name)
		return true
	})
	if matched > 0 {
		t.report.Note("%d people have accounts here already, by their addresses; these stay as they are.", matched)
	}
	if demoted > 0 {
		t.report.Note("%d owners, administrators or moderators of the archive become members here.", demoted)
	}
	return nil
}

// meet finds the account of a person, or makes sure that a new one harms nobody.
func (t *task) meet(n int64, line map[string]any, demoted, matched *int) {
	if system, _ := line["system"].(bool); system {
		return
	}
	number := func(name string) int64 {
		x, _ := line[name].(json.Number)
		i, _ := x.Int64()
		return i
	}
	email, _ := line["delivery_email"].(string)
	bot := user.BotType(number("bot_type"))
	if u := t.home.view.UserByEmail(email); u != nil {
		if !u.IsBot() && bot == user.Human {
			t.home.here[n] = u.ID
			*matched++
			return
		}
		line["delivery_email"], _ = importing.Address("", importing.Key(fmt.Sprintf("imported-%d", n)), "")
	}
	if role := user.Role(number("role")); role.Valid() && role < user.Member {
		line["role"] = user.Member
		*demoted++
	}
}

// free returns a name that nothing has here.
func (t *task) free(names *importing.Names, name, kind string, of importing.Kind, k importing.Key) string {
	unique := names.Take(name)
	if unique != name {
		t.report.Collide(importing.Collision{Kind: of, Key: k, Name: name, Here: unique})
		t.report.Note("The %s %q is called %q here, since there is another one with that name.", kind, name, unique)
	}
	return unique
}

// numbersOf returns the numbers of what an earlier run has created.
func (t *task) numbersOf(tables ...string) map[string]map[int64]bool {
	out := map[string]map[int64]bool{}
	for _, table := range tables {
		out[table] = map[int64]bool{}
		for k := range t.home.known[table] {
			out[table][t.number(table, k)] = true
		}
	}
	return out
}

// keysOf returns the keys of a table by the numbers that stand for them.
func (t *task) keysOf(table string) map[int64]importing.Key {
	keys := make(map[int64]importing.Key, len(t.numbers[table]))
	for k, n := range t.numbers[table] {
		keys[n] = k
	}
	return keys
}

func (h *home) channelNames() []string {
	var all []string
	for c := range h.view.Channels() {
		all = append(all, c.Name)
	}
	return all
}

func (h *home) groupNames() []string {
	var all []string
	for g := range h.view.Groups() {
		all = append(all, g.Name)
	}
	return all
}

// openHome begins the first import into an existing organization, and closes it meanwhile.
func (t *task) openHome(ctx context.Context) error {
	if t.run == nil {
		now := t.Clock.Now()
		t.run = &store.Run{
			Realm: t.realm, Source: t.Format.Name, Joined: true, Complete: true, StartedAt: now, EndedAt: now,
		}
		if err := t.Store.Save(ctx, t.run); err != nil {
			return err
		}
	}
	v, err := t.Directory.View(ctx, t.realm)
	if err != nil || v.Realm().Deactivated {
		return err
	}
	return t.States.Deactivate(ctx, t.realm, nil)
}

// Open ends an import into an existing organization that was not completed, with what has been imported so far.
// Errors: *importing.UnusableError.
func (e *Engine) Open(ctx context.Context, stringID string) error {
	t := &task{Engine: e, Job: Job{StringID: stringID}}
	var err error
	if t.realm, err = t.find(ctx); err != nil {
		return err
	}
	if t.realm != 0 {
		if t.run, err = t.Store.Run(ctx, t.realm); err != nil {
			return err
		}
	}
	if t.run == nil || !t.run.Joined || t.run.Complete {
		return importing.Unusable("there is no organization %q into which an import was begun and not completed", stringID)
	}
	return t.finish(ctx)
}

// meetAll records the accounts that people of the archive become. known are those of earlier runs.
func (t *task) meetAll(ctx context.Context, table string, known map[importing.Key]store.Key) error {
	if t.home == nil || table != usersTable || len(t.home.here) == 0 {
		return nil
	}
	names := t.keysOf(table)
	var keys []store.Key
	for n, u := range t.home.here {
		t.ids[table][n] = int64(u)
		k := cmp.Or(names[n], importing.Key(strconv.FormatInt(n, 10)))
		if _, ok := known[k]; !ok {
			keys = append(keys, store.Key{Realm: t.realm, Kind: table, Key: k, ID: int64(u)})
		}
	}
	if t.DryRun {
		return nil
	}
	return t.Store.Add(ctx, keys...)
}
