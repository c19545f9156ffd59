package config

import (
	"fmt"
	"maps"

	"go.yaml.in/yaml/v3"
)

// standard is the entry in modules that stands for all modules of the base, except those under its key without, and
// those under its key replace, in whose place other modules run.
const (
	standard = "standard"
	without  = "without"
	replace  = "replace"
)

// switches reads which modules the file leaves out: those whose section is false, and those that standard excludes. It
// removes these entries. A section that is true becomes one without keys. A section without a value is a problem,
// because it may be meant either way.
func (r *Raw) switches(values map[string]any, renamed map[string]string) Problems {
	modules, ok := values["modules"].(map[string]any)
	if !ok {
		return nil
	}
	var ps Problems
	for _, name := range sortedKeys(modules) {
		path := Join("modules", name)
		switch value := modules[name]; {
		case name == standard:
			ps = append(ps, r.excluded(modules, renamed)...)
		case value == false:
			r.out[name] = path
			delete(modules, name)
		case value == true:
			modules[name] = map[string]any{}
		case value == nil:
			ps.Add(path, fmt.Sprintf("has no value; write %s: {} to run the module with its defaults, or %s: false to leave "+
				"it out%s", name, name, r.line(path)))
		}
	}
	for _, name := range sortedKeys(r.out) {
		if _, both := modules[name]; both {
			ps.Add(r.out[name], "leaves out "+name+", but modules."+name+" is there, too; remove one of them")
		}
	}
	if len(modules) == 0 && len(r.out) > 0 {
		delete(values, "modules") // a file that only leaves modules out means the standard ones
	}
	return ps
}

// excluded reads and removes the keys of standard.
func (r *Raw) excluded(modules map[string]any, renamed map[string]string) Problems {
	var ps Problems
	path := Join("modules", standard)
	keys, section := modules[standard].(map[string]any)
	if modules[standard] != nil && modules[standard] != true && !section {
		ps.Add(path, "want a section of keys, got "+shown(modules[standard])+r.line(path))
	}
	modules[standard] = nil
	for _, key := range sortedKeys(keys) {
		at := Join(path, key)
		switch key {
		case without:
			ps = append(ps, r.without(at, keys[key], renamed)...)
		case replace:
			ps = append(ps, r.replaced(at, keys[key], modules, renamed)...)
		default:
			ps.Add(at, "unknown key; standard stands for the standard modules, and its only keys are without and replace"+
				r.line(at))
		}
	}
	return ps
}

// without reads the names in standard.without.
func (r *Raw) without(path string, value any, renamed map[string]string) Problems {
	var ps Problems
	names, list := value.([]any)
	if !list {
		ps.Add(path, "want a list of modules, got "+shown(value)+r.line(path))
	}
	for i, n := range names {
		at := fmt.Sprintf("%s.%d", path, i)
		name, text := n.(string)
		if !text {
			ps.Add(at, "want the name of a module, got "+shown(n)+r.line(at))
			continue
		}
		r.leaveOut(name, at, renamed)
	}
	return ps
}

// replaced reads standard.replace, and adds the modules that run in place of others.
func (r *Raw) replaced(path string, value any, modules map[string]any, renamed map[string]string) Problems {
	var ps Problems
	places, section := value.(map[string]any)
	if !section {
		ps.Add(path, "want a section such as {drafts: mydrafts}, got "+shown(value)+r.line(path))
	}
	for _, name := range sortedKeys(places) {
		at := Join(path, name)
		by, text := places[name].(string)
		if !text || by == standard {
			ps.Add(at, "want the name of a module, got "+shown(places[name])+r.line(at))
			continue
		}
		r.leaveOut(name, at, renamed)
		r.by[currentName(by, renamed)] = at
		if _, there := modules[by]; !there {
			modules[by] = map[string]any{}
		}
	}
	return ps
}

func (r *Raw) leaveOut(name, at string, renamed map[string]string) {
	r.out[currentName(name, renamed)] = at
}

// currentName returns the name of a module that may be given by a former one.
func currentName(name string, renamed map[string]string) string {
	if now, former := renamed[Join("modules", name)]; former {
		return now[len("modules."):]
	}
	return name
}

// LeftOut returns the modules that the file leaves out, and for each the key that says so.
func (r *Raw) LeftOut() map[string]string { return maps.Clone(r.out) }

// addStandard adds the base's modules, but for those that are left out, to a configuration that lists no modules or the
// entry standard, and the base's adapters for slots that the configuration does not fill. If it lists no modules, those
// that the base does not know are added as well.
func (r *Raw) addStandard(values map[string]any, s Sources) Problems {
	var ps Problems
	modules, _ := values["modules"].(map[string]any)
	_, all := modules[standard]
	if s.Base == "" || values["modules"] != nil && !all {
		return nil
	}
	var from struct {
		Modules  map[string]any `yaml:"modules"`
		Adapters map[string]any `yaml:"adapters"`
	}
	if err := yaml.Unmarshal([]byte(s.Base), &from); err != nil {
		ps.Add("config", notYAML(err).Error())
		return ps
	}
	delete(modules, standard)
	maps.DeleteFunc(from.Modules, func(name string, _ any) bool { return r.out[name] != "" || !s.has(name) })
	maps.DeleteFunc(from.Adapters, func(slot string, section any) bool {
		adapter, _ := section.(map[string]any)
		use, _ := adapter["use"].(string)
		return !s.has(slot + "." + use)
	})
	for _, name := range sortedKeys(r.by) {
		if _, runs := from.Modules[name]; runs {
			ps.Add(r.by[name], name+" is a standard module, which runs anyway; name a module of your own"+r.line(r.by[name]))
		}
	}
	if values["modules"] == nil {
		for _, name := range s.Own {
			if _, there := from.Modules[name]; !there && r.out[name] == "" {
				from.Modules[name] = map[string]any{}
			}
		}
	}
	values["modules"] = merge(values["modules"], from.Modules)
	values["adapters"] = merge(values["adapters"], from.Adapters)
	return ps
}

// merge adds those sections of base that named lacks. Anything but a map of sections is left to the decoder.
func merge(named any, base map[string]any) any {
	if named == nil {
		return base
	}
	if sections, ok := named.(map[string]any); ok {
		for name, section := range base {
			if _, there := sections[name]; !there {
				sections[name] = section
			}
		}
	}
	return named
}

func (s Sources) has(part string) bool { return s.Has == nil || s.Has(part) }
