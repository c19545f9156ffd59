package leftout_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/modules/kit"
)

// spied is the database of the server that started last.
var spied *bunstore.DB

var spy = kit.Define("spy", "Reads tables.", kit.None{}, func(_ kit.None, n struct {
	fx.In
	DB *bunstore.DB
}) (kit.Parts, error) {
	spied = n.DB
	return kit.Parts{}, nil
})

// world is a server, and what steps have kept of its responses.
type world struct {
	s       *kittest.Server
	kept    map[string]string // IDs by name
	keys    map[string]string // API keys of users who have joined
	refused []string
}

// begin starts a server with all modules, in which every module has rows.
func begin(t *testing.T, url string) *world {
	t.Helper()
	w := &world{kept: map[string]string{}, keys: map[string]string{}}
	o := harness.AllOptions("")
	o.Clock, o.DatabaseURL = kittest.NewClock(), url
	w.s = kittest.StartWith(t, o, append(harness.AllModules(), spy)...)
	for _, who := range []string{"alice", "bob", "olga", "mona"} {
		w.kept["?"+who] = fmt.Sprint(w.s.UserID(who))
	}
	w.mails()
	w.play(before(), nil)
	if len(w.refused) > 0 {
		t.Fatalf("before:\n%s", strings.Join(w.refused, "\n"))
	}
	return w
}

// live lets the steps happen while modules are left out, and lets these catch up. It returns the steps that failed.
func (w *world) live(skip map[int]bool, out ...string) map[int]bool {
	w.s.T.Helper()
	w.s.Clock.Advance(time.Minute)
	w.s.RestartWithout(out...)
	w.mails()
	failed := w.play(meanwhile(), skip)
	w.s.Restart()
	w.mails()
	w.s.RunJob("server.catch up")
	return failed
}

// mails makes the server believe that it can send mail.
func (w *world) mails() {
	if quiet, ok := w.s.Ports.Mailer.(*mailtest.Quiet); ok {
		quiet.On.Store(true)
	}
}

// rows returns the rows of all tables but those of the server itself, as maps from columns to texts.
func (w *world) rows() map[string][]map[string]string {
	t := w.s.T
	t.Helper()
	var tables []string
	for _, table := range w.s.Ports.Collected.Tables() {
		tables = append(tables, table.Name)
	}
	all := map[string][]map[string]string{}
	for _, table := range tables {
		rows, err := spied.From(t.Context()).QueryContext(t.Context(), "SELECT * FROM "+table)
		if err != nil {
			t.Fatal(table, err)
		}
		names, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		all[table] = nil
		for rows.Next() {
			values := make([]any, len(names))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(table, err)
			}
			row := map[string]string{}
			for i, v := range values {
				row[names[i]] = token.ReplaceAllString(text(*v.(*any)), "*")
				if at := table + "." + names[i]; times[at] && row[names[i]] != "<nil>" {
					row[names[i]] = "set"
				}
			}
			all[table] = append(all[table], row)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
	return all
}

// token matches names and keys that contain random characters.
var token = regexp.MustCompile(`([0-9a-f]{1,2}/)?[A-Za-z0-9_-]{24,}`)

func text(v any) string {
	switch v := v.(type) {
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	}
	return fmt.Sprint(v)
}

// lines returns the sorted rows of each table without some columns, which are named TABLE.COLUMN.
func lines(all map[string][]map[string]string, without map[string]bool) map[string][]string {
	out := map[string][]string{}
	for table, rows := range all {
		for _, row := range rows {
			var b strings.Builder
			for _, column := range slices.Sorted(maps.Keys(row)) {
				if !without[table+"."+column] && !ofLog[column] && !ofLog[table+"."+column] {
					fmt.Fprintf(&b, "%s=%.200q ", column, row[column])
				}
			}
			out[table] = append(out[table], b.String())
		}
		slices.Sort(out[table])
	}
	return out
}

// ofLog are columns with positions in the log or in another sequence of changes.
var ofLog = map[string]bool{
	"seq": true, "from_seq": true, "to_seq": true, "reactions.n": true, "presences.counter": true,
}

// times are columns with the time at which something happened or was made up for.
var times = map[string]bool{
	"attachments.unused_until": true, "images.changed_at": true, "invites.ended_at": true, "preview_queue.due_at": true,
	"presences.active_at": true, "presences.connected_at": true, "user_topics.updated_at": true,
	"subscription_periods.from_msg": true, "subscription_periods.to_msg": true,
}

// differing returns the columns that differ between two servers on which the same has happened: they are random.
func differing(a, b map[string][]map[string]string) map[string]bool {
	out := map[string]bool{}
	for table, rows := range a {
		columns := map[string]bool{}
		for _, row := range rows {
			for column := range row {
				columns[column] = true
			}
		}
		for column := range columns {
			values := func(rows []map[string]string) (all []string) {
				for _, row := range rows {
					all = append(all, row[column])
				}
				slices.Sort(all)
				return all
			}
			if !slices.Equal(values(rows), values(b[table])) {
				out[table+"."+column] = true
			}
		}
	}
	return out
}

// difference lists the rows that only one of two servers has, each with its table.
func difference(always, returned map[string][]string) (out []string) {
	for _, table := range slices.Sorted(maps.Keys(always)) {
		for _, row := range minus(always[table], returned[table]) {
			out = append(out, table+": missing "+row)
		}
		for _, row := range minus(returned[table], always[table]) {
			out = append(out, table+": has "+row)
		}
	}
	return out
}

func minus(a, b []string) (out []string) {
	count := map[string]int{}
	for _, one := range b {
		count[one]++
	}
	for _, one := range a {
		if count[one]--; count[one] < 0 {
			out = append(out, one)
		}
	}
	return out
}

// documented matches the differences that configs/README.md lists, by module.
var documented = map[string][]string{
	"audit":         {`^audit`},
	"channels":      {`^audit`, `^subscription_periods: .*user_id="({?rosa}|{?nora})"`},
	"events":        {`^event_queues: has .*user_id="{?rosa}"`},
	"invites":       {`^invites: .*inviter_id="{?rosa}"`},
	"messages":      {`^conversation`, `^messages: missing .*client="Internal"`, `^read_floor`, `^subscription_periods`},
	"mutes":         {`^read_chunks`},
	"notifications": {`^notification_messages`},
	"push":          {`^notification_messages`, `^push_devices: missing`},
	"topics":        {`^user_topics: (missing .*topic="news"|has .*topic="figs")`},
}

// undocumented returns the lines that the absence of some modules does not explain.
func (w *world) undocumented(lines []string, out []string) (rest []string) {
	var known []*regexp.Regexp
	for _, name := range out {
		for _, pattern := range documented[name] {
			for kept, value := range w.kept {
				pattern = strings.ReplaceAll(pattern, "{"+kept+"}", value)
			}
			known = append(known, regexp.MustCompile(pattern))
		}
	}
	for _, line := range lines {
		if !slices.ContainsFunc(known, func(k *regexp.Regexp) bool { return k.MatchString(line) }) {
			rest = append(rest, line)
		}
	}
	return rest
}

// together returns a module and those that need it, or nothing if the server needs one of them.
func together(name string) []string {
	all := harness.AllModules()
	out := []string{name}
	for i := 0; i < len(out); i++ {
		for _, m := range all {
			if m.Name == out[i] && m.Slot == "" && server.Needs(m) {
				return nil
			}
		}
		for _, m := range all {
			if m.Slot == "" && !slices.Contains(out, m.Name) && needs(all, m, out[i]) {
				out = append(out, m.Name)
			}
		}
	}
	return out
}

func needs(all []kit.Module, m kit.Module, provider string) bool {
	return slices.ContainsFunc(all, func(p kit.Module) bool {
		return p.Name == provider && p.Slot == "" && slices.ContainsFunc(p.Provides, func(port reflect.Type) bool {
			return slices.Contains(m.Needs, port)
		})
	})
}

// TestReturn leaves out each module, singly, while things happen, and takes it up again. Its tables, and those of all
// others, must then be as if it had always been there, except for what is documented. It logs what happened.
func TestReturn(t *testing.T) {
	testrun.Unraced(t, "its requests are sequential")
	kittest.EachDatabase(t, returns)
}

func returns(t *testing.T, url string) {
	first := always(t, url, nil)
	random := differing(first, always(t, url, nil))
	random["message_archive.record"] = true
	reference := map[string]map[string][]string{} // by the steps that failed
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "without\tand\tsteps\toutcome\n")
	for _, m := range harness.AllModules() {
		out := together(m.Name)
		if m.Slot != "" || out == nil {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			w := begin(t, url)
			failed := w.live(nil, out...)
			got := lines(w.rows(), random)
			key := fmt.Sprint(slices.Sorted(maps.Keys(failed)))
			if reference[key] == nil {
				reference[key] = lines(always(t, url, failed), random)
			}
			differences := difference(reference[key], got)
			rest := w.undocumented(differences, out)
			outcome := "the same"
			switch {
			case len(rest) > 0:
				outcome = "DIFFERS"
				t.Errorf("steps that failed:\n%s\ndifferences:\n%s", strings.Join(w.refused, "\n"), strings.Join(rest, "\n"))
			case len(differences) > 0:
				outcome = "the same, except for " + strings.Join(tablesOf(differences), ", ")
			}
			steps := fmt.Sprintf("%d of %d", len(meanwhile())-len(failed), len(meanwhile()))
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", m.Name, strings.Join(out[1:], " "), steps, outcome)
		})
	}
	_ = table.Flush()
	t.Logf("meanwhile: %s\n%s", happened(), b.String())
}

// always returns the rows of a server on which nothing was left out and some steps did not happen.
func always(t *testing.T, url string, skip map[int]bool) map[string][]map[string]string {
	t.Helper()
	w := begin(t, url)
	w.live(skip)
	return w.rows()
}

// happened says what happens meanwhile.
func happened() string {
	var all []string
	for _, one := range meanwhile() {
		if one.what != "" {
			all = append(all, one.what)
		}
	}
	return strings.Join(all, ", ")
}

func tablesOf(lines []string) (out []string) {
	for _, line := range lines {
		table, _, _ := strings.Cut(line, ":")
		out = append(out, table)
	}
	return slices.Compact(out)
}
