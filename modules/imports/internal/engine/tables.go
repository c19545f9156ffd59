package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// The tables that the engine knows by name.
const (
	realmsTable        = "realms"
	usersTable         = "users"
	channelsTable      = "channels"
	groupsTable        = "user_groups"
	membersTable       = "user_group_members"
	subgroupsTable     = "user_group_subgroups"
	subscriptionsTable = "subscriptions"
	policiesTable      = "user_topics"
	wordsTable         = "alert_words"
	messagesTable      = "messages"
	filesKind          = "files"
)

// firstNumber is greater than all IDs of other servers. The numbers after it stand for keys that are no numbers.
const firstNumber = 1 << 50

// kinds maps tables to the kinds of their records in reports.
var kinds = map[string]importing.Kind{
	realmsTable: importing.Realms, usersTable: importing.People, channelsTable: importing.Channels,
	groupsTable: importing.Groups, subscriptionsTable: importing.Subscriptions, policiesTable: importing.Policies,
	"profile_fields": importing.Fields, "user_profiles": importing.Values, "custom_emoji": importing.Emojis,
}

func kindOf(table string) importing.Kind {
	if k, ok := kinds[table]; ok {
		return k
	}
	return importing.Kind(table)
}

// apart lists the tables whose lines are messages, or belong to messages, files and pictures.
var apart = []string{
	messagesTable, "message_flags", "read_chunks", "attachments", "images", "custom_emoji",
	periodsTable,
}

// importable reports whether rows of a table can be inserted: those with columns that are not exported, or with JSON,
// need a function that knows what they mean.
func importable(t kit.Table) bool {
	if !t.Exported || t.Row == nil || slices.Contains(apart, t.Name) {
		return false
	}
	return t.Adapt != nil || !slices.ContainsFunc(t.Columns, func(c kit.Column) bool {
		return c.Name != t.Realm && (!c.Exported || c.Kind == kit.JSON || c.Kind == kit.Bytes)
	})
}

// sortTables finds the tables that can be imported, and sorts them so that rows follow those to which they refer.
func (t *task) sortTables() {
	t.refers = map[reflect.Type]string{}
	by := map[string]kit.Table{}
	for _, table := range t.Tables() {
		by[table.Name] = table
		if key := table.Key(); len(key) == 1 {
			for _, f := range table.Fields() {
				if f.Column == key[0] && f.Auto && f.Type.PkgPath() != "" {
					t.refers[f.Type] = table.Name
				}
			}
		}
	}
	done := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		table, ok := by[name]
		if done[name] || !ok {
			return
		}
		done[name] = true
		for _, f := range table.Fields() {
			visit(t.refers[f.Type])
		}
		if importable(table) && name != realmsTable {
			t.tables = append(t.tables, table)
		}
	}
	for _, first := range []string{usersTable, groupsTable, channelsTable} {
		visit(first)
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		visit(name)
	}
	if table, ok := by[realmsTable]; ok { // its settings name channels and groups
		t.tables = append(t.tables, table)
	}
}

// number returns what stands for a key of a table in rows.
func (t *task) number(table string, k importing.Key) int64 {
	if k == "" {
		return 0
	}
	if n, err := strconv.ParseInt(string(k), 10, 64); err == nil && n > 0 && n < firstNumber &&
		strconv.FormatInt(n, 10) == string(k) {
		return n
	}
	if t.numbers[table] == nil {
		t.numbers[table] = map[importing.Key]int64{}
	}
	n := t.numbers[table][k]
	if n == 0 {
		t.last++
		n = t.last
		t.numbers[table][k] = n
	}
	return n
}

// id returns the ID here of a record.
func (t *task) id(table string, k importing.Key) (int64, bool) {
	id, ok := t.ids[table][t.number(table, k)]
	return id, ok
}

func (t *task) mapping() importing.Mapping {
	return importing.Mapping{
		ID:      func(table string, there int64) (int64, bool) { id, ok := t.ids[table][there]; return id, ok },
		NameKey: t.nameKey,
	}
}

// writeDirectory writes the rows of all tables in one transaction. In a dry run, it only counts them.
func (t *task) writeDirectory(ctx context.Context) error {
	rows := map[string][]importing.Row{}
	for _, r := range t.scan.Rows {
		rows[r.Table] = append(rows[r.Table], r)
	}
	t.skipOthers(rows)
	if t.DryRun {
		t.nameKey = user.NameKey
		t.ids[usersTable] = systemBots(rows[usersTable], func(string) int64 { t.last++; return t.last })
		return t.insertAll(ctx, rows)
	}
	counted := t.report
	err := t.Work.Do(ctx, func(ctx context.Context) error {
		t.report = importing.NewReport() // the transaction may be repeated
		v, err := t.Directory.View(ctx, t.realm)
		if err != nil {
			return err
		}
		t.nameKey = v.NameKey
		seq, err := t.Log.Lock(ctx, t.realm)
		if err != nil {
			return err
		}
		t.ids = map[string]map[int64]int64{usersTable: systemBots(rows[usersTable], func(name string) int64 {
			bot := v.SystemBot(name)
			if bot == nil { // another program's
				bot = v.SystemBot(user.NotificationBot)
			}
			if bot == nil {
				return 0
			}
			return int64(bot.ID)
		})}
		before, err := t.Store.Subscriptions(ctx, t.realm)
		if err != nil {
			return err
		}
		if err := t.insertAll(ctx, rows); err != nil {
			return err
		}
		if err := t.subscribe(ctx, rows[subscriptionsTable], before, int64(seq)); err != nil {
			return err
		}
		return t.Reset.Reset(ctx, t.realm)
	})
	counted.Join(t.report)
	t.report = counted
	if err != nil {
		return err
	}
	_, err = t.Directory.Verified(ctx, t.realm)
	return err
}

// systemBots returns the IDs here of the server's own bots, which exist already.
func systemBots(rows []importing.Row, here func(name string) int64) map[int64]int64 {
	ids := map[int64]int64{}
	for _, r := range rows {
		var one struct {
			ID     int64  `json:"id"`
			Email  string `json:"delivery_email"`
			System bool   `json:"system"`
		}
		if json.Unmarshal(r.Line, &one) != nil || !one.System {
			continue
		}
		if id := here(local(one.Email)); id != 0 {
			ids[one.ID] = id
		}
	}
	return ids
}

// local returns the part of an address before the @.
func local(email string) string {
	name, _, _ := strings.Cut(email, "@")
	return name
}

// skipOthers counts rows of tables that cannot be imported.
func (t *task) skipOthers(rows map[string][]importing.Row) {
	for table, all := range rows {
		if !slices.ContainsFunc(t.tables, func(x kit.Table) bool { return x.Name == table }) {
			t.report.Add(kindOf(table), importing.Skipped, int64(len(all)), "no place in this server", table)
		}
	}
}

func (t *task) insertAll(ctx context.Context, rows map[string][]importing.Row) error {
	for _, table := range t.tables {
		if err := t.insert(ctx, table, rows[table.Name]); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	return nil
}

// subscribe starts the subscriptions that are new, so that those who have them receive all imported messages. Those of
// deactivated people are in no view, which is why before says what there was.
func (t *task) subscribe(
	ctx context.Context, rows []importing.Row, before map[channel.SubscriptionRef]bool, seq int64,
) error {
	by := map[channel.ID]user.Set{}
	for _, r := range rows {
		var one struct {
			User    int64 `json:"user_id"`
			Channel int64 `json:"channel_id"`
			Active  bool  `json:"active"`
		}
		if err := json.Unmarshal(r.Line, &one); err != nil || !one.Active {
			continue
		}
		u, ok1 := t.ids[usersTable][one.User]
		c, ok2 := t.ids[channelsTable][one.Channel]
		if ok1 && ok2 && !before[channel.SubscriptionRef{User: user.ID(u), Channel: channel.ID(c)}] {
			by[channel.ID(c)] = append(by[channel.ID(c)], user.ID(u))
		}
	}
	for _, c := range slices.Sorted(maps.Keys(by)) {
		by[c] = idset.Of(by[c]...)
		m := &channel.Subscribed{Realm: t.realm, Channel: c, Users: by[c], Seq: seq}
		if err := t.Hooks.Run(ctx, m); err != nil {
			return err
		}
	}
	return t.Hooks.Run(ctx, &channel.Imported{Realm: t.realm, Subscribers: by})
}
