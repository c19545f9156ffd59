package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/stoachat/stoa/app/internal/server"
	"github.com/stoachat/stoa/modules/kit"
)

// output holds the flags of commands that print something.
type output struct {
	JSON  bool `name:"json" help:"Print as JSON."`
	Quiet bool `help:"Print nothing unless the command fails."`
}

// asking holds the flags of commands that ask first.
type asking struct {
	Yes    bool `help:"Do not ask."`
	DryRun bool `name:"dry-run" help:"Print what the command would do, and change nothing."`
}

// fileOutput holds the flags of commands that write a file.
type fileOutput struct {
	Output string `short:"o" placeholder:"FILE" help:"The file to write, which must not exist. Without it, standard output."`
}

// declared is the command line of a command that a module declares.
type declared struct {
	kit.Command
	flags any // a pointer to Command.Flags
	of    *organization
	output
	asking
	fileOutput
}

// declaration returns a struct type with the flags of a command, for kong.
func declaration(c kit.Command) reflect.Type {
	fields := []reflect.StructField{embedded("Flags", c.Flags)}
	add := func(name string, applies bool, t reflect.Type) {
		if applies {
			fields = append(fields, embedded(name, t))
		}
	}
	add("Organization", !c.ForServer, reflect.TypeFor[organization]())
	add("Out", !c.Streams, reflect.TypeFor[output]())
	add("Asking", c.Asks, reflect.TypeFor[asking]())
	add("File", c.Streams, reflect.TypeFor[fileOutput]())
	return reflect.StructOf(fields)
}

func embedded(name string, t reflect.Type) reflect.StructField {
	return reflect.StructField{Name: name, Type: t, Tag: `embed:""`}
}

// parsedAs returns a command with the flags that kong has parsed into a value of its declaration.
func parsedAs(c kit.Command, v reflect.Value) *declared {
	d := &declared{Command: c, flags: v.FieldByName("Flags").Addr().Interface()}
	read := func(name string, set func(any)) {
		if f := v.FieldByName(name); f.IsValid() {
			set(f.Interface())
		}
	}
	read("Organization", func(x any) { o := x.(organization); d.of = &o })
	read("Out", func(x any) { d.output = x.(output) })
	read("Asking", func(x any) { d.asking = x.(asking) })
	read("File", func(x any) { d.fileOutput = x.(fileOutput) })
	return d
}

// add adds the commands of modules, by their nouns and verbs, and one for development whose noun modules use as well.
func (c *commands) add(all []kit.Command) {
	nouns := branches(all, 0)
	development := reflect.StructField{
		Name: "New", Type: reflect.TypeFor[newModule](),
		Tag: `cmd:"" hidden:"" help:"Write a new module into a checkout of Stoa."`,
	}
	i := slices.IndexFunc(nouns, func(f reflect.StructField) bool { return f.Tag.Get("name") == "module" })
	if i < 0 {
		tag := reflect.StructTag(`cmd:"" name:"module" hidden:"" help:"Create modules, for development."`)
		only := reflect.StructOf([]reflect.StructField{development})
		nouns = append(nouns, reflect.StructField{Name: "Module", Tag: tag, Type: only})
	} else {
		nouns[i].Type = reflect.StructOf(append(reflect.VisibleFields(nouns[i].Type), development))
	}
	for _, noun := range nouns {
		c.Plugins = append(c.Plugins, reflect.New(reflect.StructOf([]reflect.StructField{noun})).Interface())
	}
}

// branches returns a field for each different word of the commands' names after the first ones: a command, or what
// several commands begin with.
func branches(all []kit.Command, words int) []reflect.StructField {
	by := map[string][]kit.Command{}
	var order []string
	for _, command := range all {
		word := strings.Fields(command.Name)[words]
		if by[word] == nil {
			order = append(order, word)
		}
		by[word] = append(by[word], command)
	}
	var fields []reflect.StructField
	for i, word := range order {
		if one := by[word][0]; len(strings.Fields(one.Name)) == words+1 {
			fields = append(fields, branch(i, word, one.Doc, declaration(one)))
			continue
		}
		verbs := branches(by[word], words+1)
		fields = append(fields, branch(i, word, summary(word, verbs), reflect.StructOf(verbs)))
	}
	return fields
}

// branch returns a field that is a command for kong.
func branch(i int, name, doc string, t reflect.Type) reflect.StructField {
	tag := fmt.Sprintf(`cmd:"" name:%q help:%s`, name, strconv.Quote(doc))
	return reflect.StructField{Name: "C" + strconv.Itoa(i), Type: t, Tag: reflect.StructTag(tag)}
}

// summary returns a sentence about the commands of a noun.
func summary(noun string, verbs []reflect.StructField) string {
	var names []string
	for _, v := range verbs {
		names = append(names, v.Tag.Get("name"))
	}
	return strings.ToUpper(noun[:1]) + noun[1:] + ": " + strings.Join(names, ", ") + "."
}

// moduleCommands returns the commands of the configured modules, sorted by name.
func (e *env) moduleCommands() ([]kit.Command, error) {
	s, err := server.Inspect(e.ctx, e.sources(), e.Modules...)
	if err != nil {
		return nil, err
	}
	defer e.end(s)
	var all []kit.Command
	for _, m := range s.Modules().Modules {
		all = append(all, m.Parts.Commands...)
	}
	slices.SortFunc(all, func(a, b kit.Command) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// configFlag returns the value of --config, before the command line has been parsed.
func configFlag(args []string) string {
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--config="); ok {
			return v
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}
