package config

import (
	"slices"
	"strings"
)

// Problem is a problem in a configuration. It is reported on one line.
type Problem struct {
	Path string // the key, variable or module to fix
	Text string // cause and remedy
}

func (p Problem) String() string { return p.Path + ": " + p.Text }

// Problems lists all problems in a configuration. As an error, it has one line per problem.
type Problems []Problem //nolint:errname // a list of problems, which only at the end is an error

// Error returns the problems' lines, sorted and without duplicates.
func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps))
	for _, p := range ps {
		lines = append(lines, p.String())
	}
	slices.SortStableFunc(lines, strings.Compare)
	return strings.Join(slices.Compact(lines), "\n")
}

// Err returns ps as an error, or nil if it is empty.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Add appends a problem.
func (ps *Problems) Add(path, text string) { *ps = append(*ps, Problem{path, text}) }

// Join joins the parts of a path, omitting empty ones.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ".")
}
