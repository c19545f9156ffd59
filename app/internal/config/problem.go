package config

import (
	"slices"
	"strings"
)

// Problem is one thing that is wrong with a configuration, in one line.
type Problem struct {
	Path string // the key, or the variable, or the module: where a person has to look
	Text string // cause and remedy
}

func (p Problem) String() string { return p.Path + ": " + p.Text }

// Problems are all that is wrong. As an error its text is one line per problem.
type Problems []Problem //nolint:errname // a list of problems, which only at the end is an error

// Error gives the lines in a stable order without repeats.
func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps))
	for _, p := range ps {
		lines = append(lines, p.String())
	}
	slices.SortStableFunc(lines, strings.Compare)
	return strings.Join(slices.Compact(lines), "\n")
}

// Err gives the problems as an error, or nil if there are none.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// Add appends one problem.
func (ps *Problems) Add(path, text string) { *ps = append(*ps, Problem{path, text}) }

// Join puts the parts of a path together, leaving out empty ones.
func Join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ".")
}
