package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// page formats a module's table.
func page(tab table, got outcomes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", tab.module, tab.about)
	b.WriteString("\nWritten by `go test ./app/proof/access -update`. The outcomes below agree with the rule of each " +
		"route.\n")
	for _, r := range tab.rows {
		b.WriteString(section(r, got[r]))
	}
	return b.String()
}

// section formats the outcomes of a row.
func section(r *row, got map[variant]map[string]string) string {
	var b strings.Builder
	b.WriteString(heading(r))
	if r.on == nil {
		b.WriteString("| ok | refused |\n|---|---|\n")
		fmt.Fprintf(&b, "| %s |\n", listOutcomes(got[variant{}]))
		return b.String()
	}
	fmt.Fprintf(&b, "| %s | ok | refused |\n|---|---|---|\n", r.on.name)
	var order []string
	lines := map[string][]variant{}
	for _, v := range r.on.variants {
		line := listOutcomes(got[v])
		if lines[line] == nil {
			order = append(order, line)
		}
		lines[line] = append(lines[line], v)
	}
	for _, line := range order {
		fmt.Fprintf(&b, "| %s | %s |\n", listed(r.on, lines[line]), line)
	}
	return b.String()
}

func heading(r *row) string { return fmt.Sprintf("\n## %s\n\n%s\n\n", r.title(), r.rule) }

// compareSampled checks that a page contains the section of each row, and if only some variants of the row were tested,
// a line with the outcome of each.
func compareSampled(t *testing.T, page string, tab table, got outcomes) {
	t.Helper()
	for _, r := range tab.rows {
		if !sampled(r) {
			if want := section(r, got[r]); !strings.Contains(page, want) {
				t.Errorf("%s.md lacks this section; if it is right, update the file with -update, and review it:%s",
					tab.module, want)
			}
			continue
		}
		_, text, _ := strings.Cut(page, heading(r))
		text, _, _ = strings.Cut(text, "\n## ")
		for v, by := range got[r] {
			if line := "| " + listOutcomes(by) + " |\n"; !strings.Contains(text, line) {
				t.Errorf("%s.md, %s: no line for the outcome of %s; if it is right, update the file with -update, and "+
					"review it:\n%s", tab.module, r.title(), listed(r.on, []variant{v}), line)
			}
		}
	}
}

// listed lists variants by kind. A kind alone stands for all its variants.
func listed(f *family, vs []variant) string {
	var kinds []string
	relations := map[string][]string{}
	for _, v := range vs {
		if !slices.Contains(kinds, v.kind) {
			kinds = append(kinds, v.kind)
		}
		if v.relation != "" {
			relations[v.kind] = append(relations[v.kind], v.relation)
		}
	}
	if len(vs) == len(f.variants) && len(vs) > 1 {
		return "any"
	}
	for i, k := range kinds {
		of := 0
		for _, v := range f.variants {
			if v.kind == k {
				of++
			}
		}
		switch {
		case of == len(relations[k]):
			kinds[i] = k
		case len(relations[k]) > 0:
			kinds[i] = k + ": " + strings.Join(relations[k], ", ")
		}
	}
	return strings.Join(kinds, "; ")
}

// listOutcomes lists the callers for each outcome.
func listOutcomes(by map[string]string) string {
	var order []string
	columns := map[string][]string{}
	for _, c := range callers() {
		o := by[c.name]
		if o != allowed && columns[o] == nil {
			order = append(order, o)
		}
		columns[o] = append(columns[o], c.name)
	}
	slices.Sort(order)
	refused := make([]string, len(order))
	for i, o := range order {
		refused[i] = o + ": " + names(columns[o])
	}
	return names(columns[allowed]) + " | " + strings.Join(refused, "; ")
}

// names lists callers, or the other callers if that is shorter.
func names(some []string) string {
	if len(some) == 0 {
		return "nobody"
	}
	var rest []string
	for _, c := range callers() {
		if !slices.Contains(some, c.name) {
			rest = append(rest, c.name)
		}
	}
	switch {
	case len(rest) == 0:
		return "everybody"
	case len(rest) < 6:
		return "all but " + strings.Join(rest, ", ")
	}
	return strings.Join(some, ", ")
}
