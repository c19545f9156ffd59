package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// metric identifies a result: of one benchmark on one database, in one unit.
type metric struct{ database, bench, unit string }

// results holds all results.
type results map[metric]float64

var procs = regexp.MustCompile(`-[0-9]+$`)

// parse parses the output of go test -bench: a name, a count, and pairs of a number and its unit.
func (rs results) parse(database, text string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		for i := 2; i+1 < len(fields); i += 2 {
			if v, err := strconv.ParseFloat(fields[i], 64); err == nil {
				rs[metric{database, name, fields[i+1]}] = v
			}
		}
	}
}

// row is one line of the table.
type row struct {
	operation   string
	bench, unit string // the measurement
	shown       string // the unit in the table, where ns/op is shown as ms
	reference   string // "" if the budget applies to the measurement itself
	ratio       string // the unit in which the benchmark reports the ratio to its reference
	of          string // instead of ratio: the benchmark that is the reference, with the same unit
	budget      budget
	postgres    *budget // the budget on PostgreSQL, if it differs
	once        bool    // measured only on SQLite
	cluster     bool    // measured only on PostgreSQL, since SQLite has a single node
}

// budget limits the ratio, or the result if there is no reference.
type budget struct {
	least bool // whether limit is a lower limit
	limit float64
}

func most(limit float64) budget  { return budget{limit: limit} }
func least(limit float64) budget { return budget{least: true, limit: limit} }

func (b budget) holds(v float64) bool {
	if b.least {
		return v >= b.limit
	}
	return v <= b.limit
}

func (b budget) text(unit string) string {
	sign := "≤"
	if b.least {
		sign = "≥"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %g %s", sign, b.limit, unit))
}

// table returns the table in Markdown for some databases. It fails if a benchmark has not reported the result for its
// row.
func table(got results, all []row, databases []string) (string, error) {
	var b strings.Builder
	var missing []string
	b.WriteString("| operation | database | result | reference | ratio | budget | |\n|---|---|---|---|---|---|---|\n")
	for _, r := range all {
		for _, database := range databases {
			if r.once && database != "sqlite" || r.cluster && database != "postgres" {
				continue
			}
			line, err := r.line(got, database)
			if err != nil {
				missing = append(missing, err.Error())
				continue
			}
			b.WriteString(line)
		}
	}
	if len(missing) > 0 {
		return b.String(), fmt.Errorf("not measured:\n%s", strings.Join(missing, "\n"))
	}
	return b.String(), nil
}

func (r row) line(got results, database string) (string, error) {
	value, ok := got[metric{database, r.bench, r.unit}]
	if !ok {
		return "", fmt.Errorf("%s: Benchmark%s reports no %s on %s", r.operation, r.bench, r.unit, database)
	}
	ratio, judged, unit := "", value, r.shown
	if r.unit == "ns/op" {
		judged = value / 1e6
	}
	measured := fmt.Sprintf("%s %s", digits(judged), r.shown)
	if r.reference != "" {
		if judged, ok = r.related(got, database, value); !ok {
			return "", fmt.Errorf("%s: Benchmark%s has no reference on %s", r.operation, r.bench, database)
		}
		ratio, unit = digits(judged), ""
	}
	limit := r.budget
	if r.postgres != nil && database == "postgres" {
		limit = *r.postgres
	}
	verdict := "held"
	if !limit.holds(judged) {
		verdict = "**missed**"
	}
	on := map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL"}[database]
	if r.once {
		on = "any"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", r.operation, on, measured, r.reference, ratio,
		limit.text(unit), verdict), nil
}

func (r row) related(got results, database string, value float64) (float64, bool) {
	if r.ratio != "" {
		v, ok := got[metric{database, r.bench, r.ratio}]
		return v, ok
	}
	v, ok := got[metric{database, r.of, r.unit}]
	return value / v, ok && v > 0
}

// digits formats a number with three significant digits, or with all integer digits if it is large.
func digits(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
