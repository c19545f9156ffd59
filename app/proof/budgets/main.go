// Command budgets runs the benchmarks that have a budget on SQLite and PostgreSQL, and writes a table of the results:
// operation, result, reference, ratio and budget. make bench runs it. STOA_TEST_POSTGRES_URL names the PostgreSQL
// server.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
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
}

var runs = []run{
	{pkg: "./app/proof", bench: "^Benchmark(Start|Send|SendLoad)$", time: "1x", timeout: "4m"},
	{pkg: "./app/proof", bench: "^BenchmarkParkedPolls$", time: "1x", timeout: "4m"},
	{pkg: "./app/proof", bench: "^Benchmark(Idle|OtherNode)$", time: "1x", timeout: "5m"},
	{pkg: "./app/proof", bench: "^BenchmarkUpload$", time: "1x", timeout: "15m", once: true},
	{pkg: "./app/proof", bench: "^BenchmarkRegister$", time: "10x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^Benchmark(SendGrowth|History|Search)$", time: "100x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkSendsBesideMoves$/^limited$", time: "2000x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkBurst$", time: "50x", timeout: "4m"},
	{pkg: "./modules/messages", bench: "^BenchmarkMark$/^(topic|all)$", time: "1x", timeout: "4m"},
	{pkg: "./modules/messages/internal/readstate", bench: "^BenchmarkMarkBatch$", time: "100x", timeout: "4m"},
	{pkg: "./modules/notifications", bench: "^BenchmarkNotifyAll$", time: "1x", timeout: "8m"},
	{pkg: "./modules/scheduled", bench: "^BenchmarkDue$/^nodes=one$", time: "3x", timeout: "4m"},
	{pkg: "./modules/events", bench: "^BenchmarkResume$", time: "200x", timeout: "4m", once: true},
}

func main() {
	if err := measure(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure runs all benchmarks and writes the table to standard output, and to the file named in args, if any.
func measure(args []string) error {
	if os.Getenv("STOA_TEST_POSTGRES_URL") == "" {
		return fmt.Errorf("STOA_TEST_POSTGRES_URL must name a PostgreSQL server: run make bench")
	}
	got := results{}
	var clock clock.System
	begun := clock.Now()
	dir, err := os.MkdirTemp("", "stoa-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := compile(dir); err != nil {
		return err
	}
	for _, database := range []string{"sqlite", "postgres"} {
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
	text, err := table(got, rows())
	text = fmt.Sprintf("%s\nMeasured on %s in %s by `make bench`: %d cores, %s, %s.\n", text,
		begun.UTC().Format(time.DateOnly), clock.Now().Sub(begun).Round(time.Second), runtime.NumCPU(), runtime.Version(),
		processor())
	_, _ = fmt.Fprint(os.Stdout, text)
	if err == nil && len(args) > 0 {
		err = os.WriteFile(args[0], []byte(heading+text), 0o644) //nolint:gosec // a document
	}
	return err
}

const heading = `# Benchmarks

Ratios compare an operation with its reference in the same run on the same machine; they say more than the times do,
which depend on the machine. A budget is a ratio where there is a reference, else a time or an amount of memory.

`

// compile compiles the test binary of each package once, since linking takes longer than some benchmarks.
func compile(dir string) error {
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
