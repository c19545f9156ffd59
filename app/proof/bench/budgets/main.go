// Command budgets runs the benchmarks that have a budget on SQLite and PostgreSQL, and writes a table of the results:
// operation, result, reference, ratio and budget. make bench runs it. STOA_TEST_POSTGRES_URL names the PostgreSQL
// server.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/stoachat/stoa/app/internal/clock"
)

// run is one run of go test. Its timeout ends a run without progress.
type run struct {
	pkg, bench, time, timeout string
	once                      bool // whether the results do not depend on the database
	large                     bool
}

var runs = []run{
	{pkg: "./app/proof/bench", bench: "^Benchmark(Start|Send|SendLoad)$", time: "1x", timeout: "4m"},
	{pkg: "./app/proof/bench", bench: "^BenchmarkParkedPolls$", time: "1x", timeout: "4m"},
	{pkg: "./app/proof/bench", bench: "^Benchmark(Idle|OtherNode)$", time: "1x", timeout: "5m"},
	{pkg: "./app/proof/bench", bench: "^BenchmarkUpload$", time: "1x", timeout: "15m", once: true},
	{pkg: "./app/proof/bench", bench: "^BenchmarkRegister$", time: "10x", timeout: "4m"},
	{pkg: "./app/proof/bench", bench: "^BenchmarkGrowth$", time: "1x", timeout: "6m"},
	{pkg: "./modules/messages", bench: "^Benchmark(SendGrowth|History|Search)$", time: "100x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkSendsBesideMoves$/^limited$", time: "2000x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkBurst$", time: "50x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkMark$/^(topic|all)$", time: "1x", timeout: "4m"},
	{pkg: "./modules/messages/internal/readstate", bench: "^BenchmarkMarkBatch$", time: "100x", timeout: "4m"},
	{pkg: "./modules/notifications", bench: "^BenchmarkNotifyAll$", time: "1x", timeout: "8m"},
	{pkg: "./modules/scheduled", bench: "^BenchmarkDue$/^nodes=one$", time: "3x", timeout: "4m"},
	{pkg: "./modules/events", bench: "^BenchmarkResume$", time: "200x", timeout: "4m", once: true},
}

// largeRuns are the runs with a million messages.
var largeRuns = []run{{pkg: "./app/proof/bench", bench: "^BenchmarkGrowth$", time: "1x", timeout: "60m", large: true}}

func main() {
	large := flag.Bool("large", false, "measure growth up to a million messages, and nothing else")
	on := flag.String("on", "sqlite,postgres", "the databases to measure")
	flag.Parse()
	if err := measure(*large, strings.Split(*on, ","), flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure runs the benchmarks and writes the table to standard output and, unless the name is empty, into a file.
func measure(large bool, databases []string, file string) error {
	if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
		return fmt.Errorf("STOA_TEST_POSTGRES_URL must name a PostgreSQL server: run make bench")
	}
	runs, all, target := runs, rows(), "make bench"
	if large {
		runs, all, target = largeRuns, growthRows(true), "make bench-large"
	}
	got := results{}
	var clock clock.System
	begun := clock.Now()
	dir, err := os.MkdirTemp("", "stoa-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := compile(dir, runs); err != nil {
		return err
	}
	for _, database := range databases {
		for _, r := range runs {
			if r.once && database != "sqlite" {
				continue
			}
			text, err := r.run(dir, database)
			if err != nil {
				return fmt.Errorf("%s %s on %s: %w\n%s", r.pkg, r.bench, database, err, text)
			}
			got.parse(database, text)
		}
	}
	text, err := table(got, all, databases)
	text = fmt.Sprintf("%s\nMeasured on %s in %s by `%s`: %d cores, %s, %s.\n", text,
		begun.UTC().Format(time.DateOnly), clock.Now().Sub(begun).Round(time.Second), target, runtime.NumCPU(),
		runtime.Version(), processor())
	_, _ = fmt.Fprint(os.Stdout, text)
	if err != nil || file == "" {
		return err
	}
	before, err := os.ReadFile(file) //nolint:gosec // named by the caller
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(file, []byte(replaced(string(before), text, large)), 0o644) //nolint:gosec // a document
}

// replaced returns the document with a new table. The one of the large runs is in a section of its own.
func replaced(document, text string, large bool) string {
	main, growth, _ := strings.Cut(document, largeHeading)
	if large {
		growth = text
	} else {
		main = heading + text + "\n"
	}
	if growth == "" {
		return strings.TrimSuffix(main, "\n")
	}
	return strings.TrimRight(main, "\n") + "\n\n" + largeHeading + growth
}

const heading = `# Benchmarks

Ratios compare an operation with its reference in the same run on the same machine; they say more than the times do,
which depend on the machine. A budget is a ratio where there is a reference, else a time or an amount of memory.

`

const largeHeading = `## A million messages

What users pay for messages that others have written. A reader can see the same 4,500 messages each time, none of them
among the newest.

`

// compile compiles the test binary of each package once, since linking takes longer than some benchmarks.
func compile(dir string, runs []run) error {
	for _, r := range runs {
		if _, err := os.Stat(r.binary(dir)); err == nil {
			continue
		}
		cmd := exec.CommandContext(context.Background(), //nolint:gosec // runs above
			"go", "test", "-vet=off", "-ldflags=-s -w", "-c", "-o", r.binary(dir), r.pkg)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("compile the tests of %s: %w", r.pkg, err)
		}
	}
	return nil
}

// binary returns the file name of the package's test binary.
func (r run) binary(dir string) string {
	return filepath.Join(dir, strings.ReplaceAll(r.pkg[len("./"):], "/", "-")+".test")
}

// run runs the benchmarks on a database and returns their output, which is also copied to standard error.
func (r run) run(dir, database string) (string, error) {
	cmd := exec.CommandContext(context.Background(), r.binary(dir), //nolint:gosec // runs above
		"-test.run", "^$", "-test.bench", r.bench, "-test.benchtime", r.time, "-test.timeout", r.timeout)
	cmd.Dir = r.pkg
	cmd.Env = append(os.Environ(), "STOA_TEST_DATABASE="+database)
	if r.large {
		cmd.Env = append(cmd.Env, "STOA_BENCH_LARGE=1")
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(&out, os.Stderr), io.MultiWriter(&out, os.Stderr)
	err := cmd.Run()
	return out.String(), err
}

// processor returns the name of the machine's processor, or its architecture if that is unknown.
func processor() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(b)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
