package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	got := results{}
	got.parse("sqlite", "goos: linux\nBenchmarkSend-2   \t 1\t  512 ns/op\t 1.5 p50-ms\t 2.5 "+
		"×commit\nBenchmarkMark/all-2 3 9e6 ns/op\nBenchmarkMark/few-2 3 6000000 ns/op\nPASS\n")
	got.parse("postgres", "BenchmarkSend 1 512 ns/op 3 p50-ms 1.25 ×commit\n")
	all := []row{
		{operation: "send", bench: "Send", unit: "p50-ms", shown: "ms", reference: "commit", ratio: "×commit",
			budget: most(2)},
		{operation: "mark", bench: "Mark/all", unit: "ns/op", shown: "ms", reference: "few", of: "Mark/few", budget: most(2),
			once: true},
		{operation: "mark, at most", bench: "Mark/all", unit: "ns/op", shown: "ms", budget: least(10), once: true},
	}
	both := []string{"sqlite", "postgres"}
	text, err := table(got, all, both)
	if err != nil {
		t.Fatal(err)
	}
	want := `| send | SQLite | 1.5 ms | commit | 2.5 | ≤ 2 | **missed** |
| send | PostgreSQL | 3 ms | commit | 1.25 | ≤ 2 | held |
| mark | any | 9 ms | few | 1.5 | ≤ 2 | held |
| mark, at most | any | 9 ms |  |  | ≥ 10 ms | **missed** |
`
	if !strings.HasSuffix(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	if _, err := table(got, []row{{operation: "gone", bench: "Gone", unit: "ns/op"}}, both); err == nil ||
		!strings.Contains(err.Error(), "BenchmarkGone") {
		t.Errorf("missing benchmark: %v", err)
	}
}

// Each run replaces its own part of the document.
func TestReplaced(t *testing.T) {
	small := replaced("", "| a |\n", false)
	both := replaced(small, "| b |\n", true)
	if want := heading + "| a |\n\n" + largeHeading + "| b |\n"; both != want {
		t.Errorf("got\n%s\nwant\n%s", both, want)
	}
	if small != heading+"| a |\n" || replaced(both, "| a |\n", false) != both || replaced(both, "| b |\n", true) != both {
		t.Errorf("got\n%s\nand\n%s", small, replaced(both, "| a |\n", false))
	}
}

// TestEveryRowIsRun checks that a run measures every row of the budget table.
func TestEveryRowIsRun(t *testing.T) {
	for _, r := range rows() {
		top, _, _ := strings.Cut(r.bench, "/")
		found := slices.ContainsFunc(runs, func(one run) bool {
			first, _, _ := strings.Cut(one.bench, "/")
			return regexp.MustCompile(first).MatchString("Benchmark" + top)
		})
		if !found {
			t.Errorf("Benchmark%s has no run", top)
		}
	}
}
