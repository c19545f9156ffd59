package config

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"go.yaml.in/yaml/v3"

	"github.com/stoachat/stoa/domain/spelling"
)

// maxFile is the maximum size of a configuration in bytes.
const maxFile = 1 << 20

// Sources lists the sources of a configuration. Later fields override earlier ones.
type Sources struct {
	File    string            // path of a YAML file
	Text    string            // the content of a YAML file, instead of File
	Base    string            // YAML whose modules and adapters apply if the file lists no modules, or standard among them
	Own     []string          // modules that apply as well if the file lists none
	Has     func(string) bool // whether the program has the module or the adapter SLOT.NAME; others of Base are ignored
	Environ []string          // variables of the form STOA_NAME=value; others are ignored
	Set     map[string]string // flags, by path
	Add     []string          // sections to add, even if empty
	Presets []Preset          // defaults that apply if a section is present
	Renamed map[string]string // former names of sections, such as "modules.old", and their present names
	Moved   map[string]string // former paths of keys that are now in another section, and their present paths
}

// Preset holds defaults that apply if Section is present. Keys in absent sections are ignored.
type Preset struct {
	Section string         // "modules.demo"
	Values  map[string]any // by path
}

// Raw is a configuration that has not been decoded yet, with the origin of each value.
type Raw struct {
	k     *koanf.Koanf
	all   map[string]any // k's values, which nobody changes; nil if they have to be read again
	root  *yaml.Node
	names map[string]string // path → the variable that set it
	flags map[string]bool   // paths set by flags
	out   map[string]string // modules that are left out, and the paths that say so
	by    map[string]string // modules that replace others, and the paths that say so

	// Warnings lists deprecated uses, such as former names, one line each.
	Warnings []string
}

// Load reads all sources. leaves are the keys that variables may set. A variable for a section that the file lacks, and
// therefore for a module that does not run, is a problem because it would have no effect. If the file cannot be read,
// Load returns nil and one problem.
func Load(s Sources, leaves []Leaf) (*Raw, Problems) {
	r := &Raw{k: koanf.New("."), names: map[string]string{}, flags: map[string]bool{}, out: map[string]string{},
		by: map[string]string{}}
	var ps Problems
	values, err := r.read(s)
	if err != nil {
		ps.Add("config", err.Error())
		return nil, ps
	}
	ps = append(ps, r.rename(values, s.Renamed)...)
	ps = append(ps, r.move(values, s.Moved)...)
	ps = append(ps, r.switches(values, s.Renamed)...)
	ps = append(ps, r.addStandard(values, s)...)
	r.add(values, "")
	for _, section := range s.Add {
		if _, ok := r.get(section); !ok {
			r.add(map[string]any{section: map[string]any{}}, ".")
		}
	}
	for _, p := range s.Presets {
		r.preset(p)
	}
	r.moveVariables(s.Environ, s.Moved)
	env, problems := r.environ(s.Environ, leaves, s)
	ps = append(ps, problems...)
	r.add(env, ".")
	set := map[string]any{}
	for path, v := range s.Set {
		set[path] = v
		r.flags[path] = true
		delete(r.names, path)
	}
	r.add(set, ".")
	return r, ps
}

// add adds values to the present ones, which they replace. delimiter separates the words of their keys.
func (r *Raw) add(values map[string]any, delimiter string) {
	_ = r.k.Load(confmap.Provider(values, delimiter), nil) // a map in memory always loads
	r.all = nil
}

// rename renames sections with former names.
func (r *Raw) rename(values map[string]any, renamed map[string]string) Problems {
	var ps Problems
	for _, former := range slices.Sorted(maps.Keys(renamed)) {
		kind, name, _ := strings.Cut(former, ".")
		_, now, _ := strings.Cut(renamed[former], ".")
		sections, _ := values[kind].(map[string]any)
		value, found := sections[name]
		if !found {
			continue
		}
		delete(sections, name)
		if _, both := sections[now]; both {
			ps.Add(former, "is now "+renamed[former]+", which is there too; remove one of them")
			continue
		}
		sections[now] = value
		r.Warnings = append(r.Warnings, former+" is now "+renamed[former]+"; rename it in the configuration")
	}
	return ps
}

// preset sets those values of a preset that are not set yet.
func (r *Raw) preset(p Preset) {
	if _, ok := r.get(p.Section); !ok {
		return
	}
	for path, value := range p.Values {
		_, named := r.get(module(path))
		if _, set := r.get(path); named && !set {
			r.add(map[string]any{path: value}, ".")
		}
	}
}

func (r *Raw) read(s Sources) (map[string]any, error) {
	text := []byte(s.Text)
	if s.File != "" {
		f, err := os.Open(s.File)
		if err != nil {
			return nil, fmt.Errorf("can't read the file: %w; name another with --config", err)
		}
		defer func() { _ = f.Close() }()
		if text, err = io.ReadAll(io.LimitReader(f, maxFile+1)); err != nil {
			return nil, fmt.Errorf("can't read %s: %w", s.File, err)
		}
	}
	if len(text) > maxFile {
		return nil, errors.New("the file is larger than 1 MiB; is it the right one?")
	}
	var root yaml.Node
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, notYAML(err)
	}
	if len(root.Content) == 0 { // empty
		return values, nil
	}
	r.root = root.Content[0]
	if r.root.Kind != yaml.MappingNode {
		return nil, errors.New("want a section of keys at the top")
	}
	if err := r.root.Decode(&values); err != nil {
		return nil, notYAML(err)
	}
	return values, nil
}

func notYAML(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	var lines []string
	for line := range strings.Lines(text) {
		lines = append(lines, strings.TrimSpace(line))
	}
	return fmt.Errorf("is not YAML: %s", strings.Join(lines, "; "))
}

// otherVariables lists variables with the prefix STOA_ that set no key.
var otherVariables = []string{"STOA_CONFIG"}

func (r *Raw) environ(environ []string, leaves []Leaf, s Sources) (map[string]any, Problems) {
	known, present := map[string]Leaf{}, map[string]string{}
	for _, l := range leaves {
		known[Variable(l.Path)] = l
	}
	for former, path := range s.Moved {
		if l, ok := known[Variable(path)]; ok {
			known[Variable(former)], present[Variable(former)] = l, Variable(path)
		}
	}
	for former, section := range s.Renamed {
		for _, l := range leaves {
			if key, ok := strings.CutPrefix(l.Path, section+"."); ok {
				name := Variable(former + "." + key)
				known[name], present[name] = l, Variable(l.Path)
			}
		}
	}
	out := map[string]any{}
	var ps Problems
	for _, e := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "STOA_") || strings.HasPrefix(name, "STOA_TEST_") ||
			slices.Contains(otherVariables, name) {
			continue
		}
		l, ok := known[name]
		if !ok {
			ps.Add(name, "unknown variable"+spelling.Suggest(name, sortedKeys(known)))
			continue
		}
		if section := module(l.Path); section != "" && !r.k.Exists(section) {
			ps.Add(name, "sets "+l.Path+", but the config does not name "+section+"; add it or unset the variable")
			continue
		}
		if now, former := present[name]; former {
			if slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, now+"=") }) {
				ps.Add(name, "is now "+now+", which is set too; unset one of them")
				continue
			}
			r.Warnings = append(r.Warnings, name+" is now "+now+"; set that instead")
		}
		r.names[l.Path] = name
		out[l.Path] = parseVariable(value, l)
	}
	return out, ps
}

// Variable returns the name of the environment variable that sets a key.
func Variable(path string) string {
	return "STOA_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// module returns the module or slot section that contains a key, or "".
func module(path string) string {
	p := strings.SplitN(path, ".", 3)
	if len(p) == 3 && (p[0] == "modules" || p[0] == "adapters") {
		return p[0] + "." + p[1]
	}
	return ""
}

// parseVariable parses a variable's text as the type of its key. If that fails, the value stays a string, which the
// decoder reports.
func parseVariable(value string, l Leaf) any {
	switch acceptedValues(l.Type) {
	case "text", acceptedValues(durationType):
		return value
	case "a list":
		list := []any{}
		for s := range strings.SplitSeq(value, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, parseVariable(s, Leaf{Type: l.Type.Elem()}))
			}
		}
		return list
	}
	var v any
	if err := yaml.Unmarshal([]byte(value), &v); err != nil || v == nil {
		return value
	}
	return v
}
