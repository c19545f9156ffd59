package imports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/domain/errs"
)

// TestMutated damages records of generated archives. An import either refuses the archive before it writes anything, or
// imports it: each record is counted, and what was not damaged is what the model says, as people read it by the API.
func TestMutated(t *testing.T) {
	rounds := 3
	if testrun.Long() {
		rounds = 100
	}
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url)
		for _, p := range append(slices.Clone(programs), s.ofStoa(t)) {
			refused := 0
			for round := range rounds {
				if !s.mutated(t, p, uint64(round)) {
					refused++
				}
			}
			if refused > rounds/2 {
				t.Errorf("%s: %d of %d archives were refused", p.name, refused, rounds)
			}
		}
	})
}

// damagedCommunity returns the community whose archives are damaged.
func damagedCommunity() *community { return generateCommunity(3, 7, 4, 50) }

// ofStoa returns an export of what was imported from Zulip.
func (s *server) ofStoa(t *testing.T) program {
	t.Helper()
	old := s.imported(t, "zulip", "old", zulipArchive(damagedCommunity(), 0).save(t))
	if err := s.Ports.Settings.Set(t.Context(), old.Realm, "owner_full_content_access", true); err != nil {
		t.Fatal(err)
	}
	f := files{}
	for name, content := range unpackFiles(t, s.export(s.at(old, "old", "person0"))) {
		if f[name] = content; !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		var all lines
		for line := range strings.Lines(content) {
			all = append(all, json.RawMessage(line))
		}
		f[name] = all
	}
	p := ofZulip
	p.name, p.archive = "stoa", func(*community, int) files { return f }
	return p
}

// mutated imports a damaged archive, and reports whether it was accepted.
func (s *server) mutated(t *testing.T, p program, seed uint64) bool {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 7))
	c := damagedCommunity()
	m := &mutation{Rand: rng, t: t, files: parsed(t, p.archive(c, 0))}
	directory := seed%3 == 0
	for range 3 {
		m.damage(directory)
	}
	name := fmt.Sprintf("%s-%d", p.name, seed)
	r, err := s.command(t.Context(), "import "+p.name, map[string]any{
		"Archive": m.files.save(t), "Realm": name, "OwnerEmail": "owner@example.com",
	})
	if err != nil {
		if !errs.Is(err, errs.Invalid) {
			t.Errorf("%s, %v: %v", name, m.log, err)
		}
		s.absent(t, name)
		return false
	}
	counted := 0
	for _, x := range r.Counts {
		if x.Kind == "messages" || x.Kind == "other records" {
			counted += x.Imported + x.Converted + x.Skipped + x.Refused
		}
	}
	if want := m.messages(); counted < want && !directory { // a folder that is in no list counts as one

		t.Errorf("%s, %v: %d of %d messages were counted: %+v", name, m.log, counted, want, r.Counts)
	}
	v, err := s.Ports.Directory.Verified(t.Context(), r.Realm)
	if err != nil {
		t.Fatal(err)
	}
	touched := m.threads(c)
	untouched := slices.DeleteFunc(c.expected(p, 0), func(w wanted) bool { return touched[w.note] })
	for u, who := range c.people {
		account := v.UserByEmail(who.email)
		if account == nil || !account.Active {
			if !directory && !who.left && who.day == 0 {
				t.Errorf("%s, %v: %s has no account", name, m.log, who.name)
			}
			continue
		}
		got, _ := s.seenAs(r, name, c, u)
		if directory {
			continue
		}
		got = slices.DeleteFunc(got, func(line string) bool { n := noteOf(line); return n < 0 || touched[n] })
		slices.Sort(got)
		if want := c.seenBy(u, p, untouched); !slices.Equal(got, want) {
			t.Errorf("%s, %v: %s reads\n%s", name, m.log, who.name, difference(got, want))
		}
	}
	return true
}

// absent checks that an import that was refused has created no organization.
func (s *server) absent(t *testing.T, name string) {
	t.Helper()
	all, err := s.Ports.Realms.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		v, err := s.Ports.Directory.Verified(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if v.Realm().StringID == name {
			t.Errorf("%s was created", name)
		}
	}
}

// mutation is an archive that is being damaged.
type mutation struct {
	*rand.Rand
	t     testing.TB
	files files
	log   []string // what was done
	notes []int    // whose records were damaged
}

// parsed returns the files of an archive as values that can be changed.
func parsed(t *testing.T, f files) files {
	t.Helper()
	out := files{}
	for name, content := range f {
		switch content := content.(type) {
		case string:
			out[name] = content
		case lines:
			out[name] = lines(decoded(t, []any(content)).([]any))
		default:
			out[name] = decoded(t, content)
		}
	}
	return out
}

func decoded(t *testing.T, v any) (out any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(encoded(t, v)))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// list is a list of records.
type list struct {
	name string
	all  []any
	set  func([]any)
}

// lists returns all lists of records, sorted by name.
func (m *mutation) lists() []list {
	var out []list
	for name, content := range m.files {
		switch content := content.(type) {
		case lines:
			out = append(out, list{name, content, func(all []any) { m.files[name] = lines(all) }})
		case []any:
			out = append(out, list{name, content, func(all []any) { m.files[name] = all }})
		case object:
			for table, rows := range content {
				if rows, ok := rows.([]any); ok {
					out = append(out, list{name + "/" + table, rows, func(all []any) { content[table] = all }})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b list) int { return strings.Compare(a.name, b.name) })
	return out
}

// damage damages a record: one of the directory, or one that belongs to a message.
func (m *mutation) damage(directory bool) {
	type place struct {
		list
		i int
	}
	var all []place
	for _, l := range m.lists() {
		for i, record := range l.all {
			if (len(notesOf(record)) == 0) == directory {
				all = append(all, place{l, i})
			}
		}
	}
	if directory && m.IntN(4) == 0 {
		m.cut()
		return
	}
	if len(all) == 0 {
		return
	}
	at := all[m.IntN(len(all))]
	record := at.all[at.i]
	m.notes = append(m.notes, notesOf(record)...)
	switch m.IntN(8) {
	case 0:
		m.log = append(m.log, "twice: "+at.name)
		at.set(slices.Insert(slices.Clone(at.all), at.i, record))
	case 1:
		at.all[at.i] = m.value()
		m.log = append(m.log, m.shown(at.all[at.i])+" instead of one of "+at.name)
	default:
		m.change(at.name, record)
	}
}

// cut shortens or removes a file, or gives it the content of another one.
func (m *mutation) cut() {
	names := slices.Sorted(maps.Keys(m.files))
	name, other := names[m.IntN(len(names))], names[m.IntN(len(names))]
	switch m.IntN(3) {
	case 0:
		m.log = append(m.log, "without "+name)
		delete(m.files, name)
	case 1:
		m.log = append(m.log, other+" instead of "+name)
		m.files[name] = m.files[other]
	default:
		text := encoded(m.t, m.files[name])
		m.log = append(m.log, "a part of "+name)
		m.files[name] = string(text[:m.IntN(len(text)+1)])
	}
}

// value returns something that is not expected.
func (m *mutation) value() any {
	deep := any("x")
	for range 100 {
		deep = []any{deep}
	}
	all := []any{
		nil, true, "", "x", "\x00\u202e", strings.Repeat("long ", 5000), json.Number("-1"), json.Number("1e400"),
		json.Number("99999999999999999999"), json.Number("0.5"), []any{}, []any{nil}, object{}, []any{object{}}, deep,
	}
	return all[m.IntN(len(all))]
}

func (m *mutation) shown(v any) string { return fmt.Sprintf("%.40s", encoded(m.t, v)) }

// change changes a random part of a record.
func (m *mutation) change(where string, record any) {
	switch record := record.(type) {
	case object:
		keys := slices.Sorted(maps.Keys(record))
		if len(keys) == 0 {
			return
		}
		k := keys[m.IntN(len(keys))]
		inside, isObject := record[k].(object)
		several, isList := record[k].([]any)
		if isObject && m.IntN(4) > 0 {
			m.change(where+"."+k, inside)
			return
		}
		if isList && len(several) > 0 && m.IntN(2) == 0 {
			m.change(where+"."+k, several)
			return
		}
		switch m.IntN(4) {
		case 0:
			m.log = append(m.log, "without "+where+"."+k)
			delete(record, k)
		case 1:
			m.log = append(m.log, "renamed "+where+"."+k)
			record["other"] = record[k]
			delete(record, k)
		default:
			record[k] = m.value()
			m.log = append(m.log, where+"."+k+": "+m.shown(record[k]))
		}
	case []any:
		i := m.IntN(len(record))
		if _, ok := record[i].(object); ok && m.IntN(2) == 0 {
			m.change(where, record[i])
			return
		}
		record[i] = m.value()
		m.log = append(m.log, fmt.Sprintf("%s[%d]: %s", where, i, m.shown(record[i])))
	}
}

// notesOf returns the notes to which a record belongs.
func notesOf(record any) []int {
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	var out []int
	for _, found := range noted.FindAllStringSubmatch(string(text), -1) {
		n, _ := strconv.Atoi(found[1])
		out = append(out, n)
	}
	row, _ := record.(object)
	ids, _ := row["messages"].([]any)
	for _, id := range append(ids, row["message"]) { // of Zulip
		if id, ok := id.(json.Number); ok {
			n, _ := strconv.Atoi(string(id))
			out = append(out, n-1)
		}
	}
	return out
}

// messages returns the number of records that contain messages.
func (m *mutation) messages() int {
	n := 0
	for _, l := range m.lists() {
		for _, record := range l.all {
			if noted.MatchString(fmt.Sprint(record)) {
				n++
			}
		}
	}
	return n
}

// threads returns the notes that can be affected: those of threads with a damaged record.
func (m *mutation) threads(c *community) map[int]bool {
	roots := map[int]bool{}
	root := func(n int) int {
		if r := c.notes[n].root; r >= 0 {
			return r
		}
		return n
	}
	for _, n := range m.notes {
		if n < len(c.notes) {
			roots[root(n)] = true
		}
	}
	out := map[int]bool{}
	for n := range c.notes {
		out[n] = roots[root(n)]
	}
	return out
}
