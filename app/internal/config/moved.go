package config

import (
	"maps"
	"slices"
	"strings"
)

// move moves keys that belong to another section now, which is added if it is missing.
func (r *Raw) move(values map[string]any, moved map[string]string) Problems {
	var ps Problems
	for _, former := range slices.Sorted(maps.Keys(moved)) {
		from, key := split(former)
		to, now := split(moved[former])
		section, _ := values[from[0]].(map[string]any)
		keys, _ := section[from[1]].(map[string]any)
		value, found := keys[key]
		if !found {
			continue
		}
		delete(keys, key)
		target, isSection := section[to[1]].(map[string]any)
		present, named := section[to[1]]
		if !isSection {
			target = map[string]any{}
		}
		switch _, both := target[now]; {
		case both:
			ps.Add(former, "is now "+moved[former]+", which is there too; remove one of them")
			continue
		case named && !isSection && present != true:
			ps.Add(former, "is now "+moved[former]+", but "+Join(to[:]...)+" is left out; remove one of them")
			continue
		}
		target[now] = value
		section[to[1]] = target
		r.Warnings = append(r.Warnings, former+" is now "+moved[former]+"; move it in the configuration")
	}
	return ps
}

// moveVariables adds the sections to which variables for former keys belong now.
func (r *Raw) moveVariables(environ []string, moved map[string]string) {
	for former, now := range moved {
		isSet := slices.ContainsFunc(environ, func(e string) bool { return strings.HasPrefix(e, Variable(former)+"=") })
		if section := module(now); isSet && r.k.Exists(module(former)) && !r.k.Exists(section) {
			r.add(map[string]any{section: map[string]any{}}, ".")
		}
	}
}

// split returns the section of a path of three parts, and its key.
func split(path string) (section [2]string, key string) {
	kind, rest, _ := strings.Cut(path, ".")
	name, key, _ := strings.Cut(rest, ".")
	return [2]string{kind, name}, key
}
