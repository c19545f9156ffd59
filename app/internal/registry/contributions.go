package registry

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/stoachat/stoa/app/internal/absence"
	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/modules/kit"
)

// Contributions checks the modules' contributions: access rules, parameters, duplicate names.
func Contributions(all []kit.Contribution) config.Problems {
	c := checker{seen: map[string]string{}}
	for _, m := range all {
		c.module = "module " + m.Module
		for _, e := range m.Parts.Endpoints {
			c.endpoint(e)
		}
		for _, s := range m.Parts.Register {
			c.section(s)
		}
		for _, e := range m.Parts.Events {
			c.event(e)
		}
		for _, h := range m.Parts.Hooks {
			if h.Event == nil || h.Run == nil {
				c.problem("has an empty hook; create it with kit.On")
			}
		}
		for _, d := range m.Parts.Directory {
			c.once("directory part", d.Name)
			if d.Slot != nil && directory.Reserved(d.Slot.Key()) {
				c.problem(fmt.Sprintf("directory part %q has a key of the directory's own; choose another", d.Name))
			}
			if d.Load == nil && d.Then == nil {
				c.problem(fmt.Sprintf("directory part %q has neither Load nor Then", d.Name))
			}
		}
		c.background(m.Parts)
		for _, s := range m.Parts.Settings {
			c.setting(s.Declaration())
		}
		c.rates(m.Parts)
		for _, name := range m.Parts.Bots {
			c.once("bot", name)
			if !botName.MatchString(name) {
				c.problem(fmt.Sprintf("bot %q: the name must consist of lower-case letters, digits and hyphens, at most 40, "+
					"and may end with -*", name))
			}
		}
		for _, construct := range m.Parts.Markdown {
			c.once("Markdown construct", construct.Name())
			for _, p := range construct.Problems() {
				c.problem(fmt.Sprintf("Markdown construct %s: %s", construct.Name(), p))
			}
		}
		for _, o := range m.Parts.Operators {
			c.once("operator", o.Name)
			for _, p := range o.Problems() {
				c.problem(fmt.Sprintf("operator %q: %s", o.Name, p))
			}
		}
		for _, s := range m.Parts.Slash {
			c.once("slash command", "/"+s.Name)
			for _, p := range s.Problems() {
				c.problem(fmt.Sprintf("slash command /%s: %s", s.Name, p))
			}
		}
	}
	c.holders(all)
	c.queries(all)
	return c.problems
}

var botName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}(-\*)?$`)

type checker struct {
	module   string
	seen     map[string]string // module by kind and name
	problems config.Problems
}

func (c *checker) problem(text string) { c.problems.Add(c.module, text) }

// once reports names that are already taken.
func (c *checker) once(kind, name string) {
	id := kind + " " + name
	if other, twice := c.seen[id]; twice {
		if other == c.module {
			other = "the same module"
		}
		c.problem(fmt.Sprintf("%s is also in %s; keep one", id, other))
		return
	}
	c.seen[id] = c.module
}

// table checks a module's table, whose owner may be another one of the module's tables.
func (c *checker) table(t kit.Table, all []kit.Table) {
	c.once("table", t.Name)
	for _, p := range t.Problems() {
		c.problem(p)
	}
	is := func(name string) func(kit.Table) bool { return func(t kit.Table) bool { return t.Name == name } }
	owns := func(o kit.Table) bool { return o.Name == t.Owner.Of && len(o.Key()) == 1 }
	if of := t.Owner.Of; of != "" && of != kit.OfRealm && of != kit.OfUser && !slices.ContainsFunc(all, owns) {
		c.problem(fmt.Sprintf("the table %q is owned by %q, which is not a table of the module with a key of one column",
			t.Name, of))
	}
	switch {
	case t.Within != "" && !slices.ContainsFunc(all, is(t.Within)):
		c.problem(fmt.Sprintf("the table %q is exported within %q, which is not a table of the module", t.Name, t.Within))
	case t.Within == "" && t.Doc == "":
		c.problem(fmt.Sprintf("the table %q needs a doc, or the reason why it is not exported", t.Name))
	case t.Exported && t.Page == nil && (t.Realm == "" || len(t.Key()) == 0):
		c.problem(fmt.Sprintf("the table %q is exported, but has no primary key or no column with the realm", t.Name))
	case t.Large && len(t.Key()) != 1:
		c.problem(fmt.Sprintf("the table %q is deleted by key, but its key is not a single column", t.Name))
	}
}

func (c *checker) endpoint(e kit.Endpoint) {
	route := strings.TrimSpace(e.Method + " " + e.Path)
	if e.Access.Name() == "" {
		c.problem(route + " has no access rule; set kit.Users, kit.Admins, ... or kit.Anyone")
	}
	if !strings.HasPrefix(e.Path, "/") {
		c.problem(route + ": the path must begin with /")
	}
	id := "route " + e.Shape()
	if other, twice := c.seen[id]; twice {
		c.problem(fmt.Sprintf("%s answers the same requests as a route of %s; keep one", route, other))
	}
	c.seen[id] = c.module
	if e.Handler != nil {
		return
	}
	if e.Call == nil || e.Req == nil {
		c.problem(route + " has no handler; create it with kit.GET, kit.POST, ...")
		return
	}
	fields := wireNames(e.Req)
	for _, p := range e.PathParams() {
		if p = strings.TrimSuffix(p, "+"); !slices.Contains(fields, p) {
			c.problem(fmt.Sprintf("%s: path parameter :%s has no field in %v", route, p, e.Req))
		}
	}
}

// wireNames returns the JSON names of a struct's fields, including those of embedded structs.
func wireNames(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var out []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			out = append(out, wireNames(f.Type)...)
		case name == "":
			out = append(out, f.Name)
		case name != "-":
			out = append(out, name)
		}
	}
	return out
}

// Keys that are not left to modules: those of every response to POST /register, and those of every event.
var (
	queueKeys = []string{
		"result", "msg", "ignored_parameters_unsupported", "queue_id", "last_event_id", "idle_queue_timeout_secs",
	}
	eventKeys = []string{"id", "type", "op"}
)

func (c *checker) section(s kit.Section) {
	if s.Name == "" || s.Load == nil {
		c.problem("has an empty register section; create it with kit.Register")
		return
	}
	if s.Res != nil {
		for _, key := range wireNames(s.Res) {
			if slices.Contains(queueKeys, key) {
				c.problem(fmt.Sprintf("register section %q has the key %s, which every response to /register has; choose another",
					s.Name, key))
			}
			c.once("register key", key)
		}
	}
}

func (c *checker) event(e kit.AnyEvent) {
	if e.Type == "" || e.Decode == nil {
		c.problem("has an empty event; create it with kit.Event")
		return
	}
	name := strings.TrimSuffix(e.Type+"/"+e.Op, "/")
	c.once("event", name)
	if e.Shape != nil || e.PerReceiver != nil || e.Payload == nil {
		return
	}
	for _, key := range wireNames(e.Payload) {
		if slices.Contains(eventKeys, key) {
			c.problem(fmt.Sprintf("event %s has a field %s in its payload, which every event has; choose another name",
				name, key))
		}
	}
}

func (c *checker) background(p kit.Parts) {
	for _, j := range p.Jobs {
		c.once("job", strings.TrimPrefix(c.module, "module ")+"."+j.Name)
		if j.Run == nil || j.Every <= 0 {
			c.problem(fmt.Sprintf("job %q needs Every and Run", j.Name))
		}
	}
	for _, h := range p.Hooks {
		if h.Repeats && !absence.Repeatable(h.Event) {
			c.problem(fmt.Sprintf("the hook of %v cannot run again after an absence; see kit.Hook.Again", h.Event))
		}
	}
	for _, t := range p.Tables {
		c.table(t, p.Tables)
	}
	for _, command := range p.Commands {
		c.command(command)
	}
	for _, h := range p.Health {
		c.once("health check", h.Name)
		if h.Run == nil {
			c.problem(fmt.Sprintf("health check %q has no Run", h.Name))
		}
	}
	for _, d := range p.Doctor {
		c.diagnosis(d)
	}
}

func (c *checker) diagnosis(d kit.Diagnosis) {
	c.once("check of doctor", strings.TrimPrefix(c.module, "module ")+"."+d.Name)
	if d.Run == nil && len(d.Wrong) == 0 || !strings.HasSuffix(d.Doc, ".") {
		c.problem(fmt.Sprintf("check of doctor %q needs a sentence in Doc, and Run or Wrong", d.Name))
	}
	for _, w := range d.Wrong {
		if w.Table == "" || w.Where == "" || w.Text == "" || (w.Fix == "") == (w.Remedy == "") {
			c.problem(fmt.Sprintf("check of doctor %q: wrong rows need Table, Where, Text, and either Fix or Remedy", d.Name))
		}
	}
}

// command checks that a command has a noun, a verb and a sentence, and flags that can be declared.
func (c *checker) command(command kit.Command) {
	name := fmt.Sprintf("command %q", command.Name)
	c.once("command", command.Name)
	if command.Flags == nil {
		c.problem(name + " has no handler; create it with kit.NewCommand")
		return
	}
	if words := strings.Fields(command.Name); len(words) < 2 || len(words) > 3 {
		c.problem(name + " needs a noun and a verb for its name")
	}
	if command.Flags.Kind() != reflect.Struct {
		c.problem(fmt.Sprintf("%s: its flags are not a struct: %v", name, command.Flags))
	}
	if !strings.HasSuffix(command.Doc, ".") {
		c.problem(name + " needs a sentence that says what it does")
	}
}
