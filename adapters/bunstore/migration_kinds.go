package bunstore

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
)

// Kind states whom a migration affects.
type Kind string

// An Expand leaves everything in place that the previous version uses, so that both versions can run side by side. A
// Contract removes it, and waits until that version is gone.
const (
	Expand   Kind = "expand"
	Contract Kind = "contract"
)

// Header is the first line of a migration, which has one of the forms
//
//	-- expand: WHAT; LOCK.
//	-- contract of NAME: WHAT; LOCK.
//	-- contract of NAME, required: WHAT; LOCK.
//
// A contract names the migration that it completes, which an earlier release contained. It waits until somebody
// finishes the upgrade, and the program works with and without it. From the next release on, the program may rely on
// it: then it is required. A migration without such a line is required and a contract.
type Header struct {
	Kind     Kind
	Of       string // what a contract completes, or ""
	Required bool
	Text     string // what it does, and what it locks; "": there is no such line
	Former   string // the name under which earlier versions recorded the migration, or ""
}

var (
	formerly = regexp.MustCompile(`\A-- Formerly (\w+)\.\n`)
	stated   = regexp.MustCompile(`\A-- (?:(expand)|(contract)(?: of (\w+))?(, required)?): (\S.*)\n`)
)

// headerOf returns the header of a migration.
func headerOf(files fs.FS, name string) Header {
	h := Header{Kind: Contract, Required: true}
	for _, f := range []string{name + ".sql", name + ".postgres.sql", name + ".sqlite.sql"} {
		text, err := fs.ReadFile(files, path.Join("migrations", f))
		if err != nil {
			continue
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		if m := formerly.FindSubmatch(text); m != nil {
			h.Former, text = string(m[1]), text[len(m[0]):]
		}
		if m := stated.FindSubmatch(text); m != nil {
			h.Kind = Kind(m[1]) + Kind(m[2])
			h.Of, h.Required, h.Text = string(m[3]), len(m[4]) > 0, string(m[5])
		}
		if h.Former != "" || h.Text != "" {
			break
		}
	}
	return h
}

// CheckKinds returns what is wrong with the headers of a module's migrations. released reports whether a release
// contained a migration; nil means that this is not known.
func CheckKinds(m Migrations, released func(name string) bool) []string {
	names, err := StepNames(m.FS)
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for i, name := range names {
		problem := headerOf(m.FS, name).problem(names[:i])
		if problem == "" && released != nil && !released(name) {
			problem = headerOf(m.FS, name).early(released)
		}
		if problem != "" {
			problems = append(problems, fmt.Sprintf("migration %s of module %s %s", name, m.Module, problem))
		}
	}
	return problems
}

func (h Header) problem(earlier []string) string {
	switch {
	case h.Text == "":
		return `must begin with "-- expand: WHAT; LOCK." or "-- contract of NAME: WHAT; LOCK."`
	case h.Of != "" && !slices.Contains(earlier, h.Of):
		return fmt.Sprintf("completes %s, which is not an earlier migration of the module", h.Of)
	case h.Kind == Contract && h.Of == "" && !h.Required:
		return `must name the migration that it completes: "-- contract of NAME: ..."`
	}
	return ""
}

// early explains why a migration cannot be a part of the next release, or returns "".
func (h Header) early(released func(string) bool) string {
	switch {
	case h.Required && h.Kind == Contract:
		return "can be required only when a release has contained it, so that the previous version knows it"
	case h.Of != "" && !released(h.Of):
		return "completes " + h.Of + ", which no release has contained yet: the previous version needs what it removes"
	}
	return ""
}
