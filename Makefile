# make run   the server on the embedded default         make test     everything, on SQLite and on PostgreSQL
# make lint bench build interop tidy                    (what each does: make help)
SHELL := bash
GO ?= go
BIN := bin/stoa
GOLANGCI := .cache/bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: help run build test test-watched test-access test-states test-histories test-example fuzz lint bench interop languages tidy

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: ## start the server on the embedded default: SQLite in ./data, http://localhost:9991
	$(GO) run ./app/cmd/stoa serve

build: ## the server as one static binary, bin/stoa
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w -X github.com/stoachat/stoa/app.Version=$(VERSION)' -o $(BIN) ./app/cmd/stoa

test: ## all tests with the race detector, on SQLite and on PostgreSQL (started by itself), and the example
	.ci/postgres $(MAKE) --no-print-directory -j 2 test-watched test-access test-states test-histories test-example

# What runs one test after the other, in one process, leaves a core to the rest: so two of these parts run at a time, the longest first.

# The part of SQLite that is C turned into Go, and the C library and the allocator below it, are not watched for races: watched, they
# are ten times slower, and the races we look for are ours. It must be no more than these packages: code that is not watched brings
# its own copies of generic code of the standard library, sync.Map for one, and the linker may take those for everybody, so that races
# are seen where there are none. (Of these three only the C library has such a copy, of what lists a directory.) The race detector
# also makes the oracle of the read state slow: with it 100 histories run, without it 3,000, of which 1,000 on PostgreSQL too.
# Binaries without tables for debuggers are linked in three quarters of the time, and make lint has vetted everything.
unwatched := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/memory=-race=false
RACE := -timeout 30m -race $(unwatched) -ldflags='-s -w' -vet=off
# A binary with the race detector would wait for a second before it ends, for races that nobody is left to have.
export GORACE ?= atexit_sleep_ms=10

BOTH := -p 4 -count=1 -exec '$(CURDIR)/.ci/each-database'
STORING := ./adapters/bunstore/... ./app/... ./modules/...

# Of packages that store nothing the results are kept.
test-watched:
	$(GO) test $(RACE) $$(comm -23 <($(GO) list ./... | sort) <($(GO) list $(STORING) | sort))
	$(GO) test $(RACE) $(BOTH) $$($(GO) list $(STORING) | grep -v /app/proof/access)

# The tables of who may do what ask one thing after the other, so there is no race to be seen: they run without the detector. So do
# most of the sequences of the state by events, and of the histories of the read state.
test-access:
	$(GO) test -timeout 30m -vet=off $(BOTH) ./app/proof/access

test-states:
	STOA_TEST_DATABASE=sqlite STOA_STATE_SEQUENCES=400 STOA_STATE_SEED=1000 $(GO) test -exec 'env GOGC=400' -timeout 30m -vet=off -run StateByEvents ./app/proof

test-histories:
	$(GO) test -timeout 30m -vet=off -run Oracle ./domain/readstate
	$(GO) test -timeout 30m -vet=off $(BOTH) -run Oracle ./modules/messages/internal/reading

test-example:
	cd app/example && $(GO) vet ./... && $(GO) test $(RACE) ./...

FUZZTIME ?= 1m
# Twice, for go test may take the end of its own time for a failure (context deadline exceeded) on a busy machine. What does fail is kept in
# testdata by the first run, and fails the second.
FUZZ = $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p
fuzz: ## fuzzing, a minute for each target (FUZZTIME=1m)
	@$(GO) list -f '{{$$d := .ImportPath}}{{range .TestGoFiles}}{{$$d}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$d}}{{"\n"}}{{end}}' ./... | sort -u | while read -r p; do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do echo "$$p $$f"; $(FUZZ) || $(FUZZ) || exit 1; done; done

$(GOLANGCI):
	GOBIN=$(CURDIR)/.cache/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

lint: $(GOLANGCI) ## gofmt, go vet and golangci-lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GOLANGCI) run ./...

bench: ## the benchmarks of the budgets, as ratios to a reference in the same run
	$(GO) test -run '^$$' -bench . -benchtime 3x ./app/proof
	STOA_TEST_DATABASE=postgres .ci/postgres --durable $(GO) test -run '^$$' -bench Send -benchtime 3x ./app/proof
	.ci/postgres --durable $(GO) test -run '^$$' -bench . -benchtime 1s ./adapters/... ./modules/... ./app/internal/...

interop: build ## unmodified client libraries against the server, on both databases
	.ci/postgres app/interop/run

languages: ## the table of code languages, from Pygments
	adapters/markdown/languages/generate

tidy: ## go.mod and go.sum of the server and of the example
	$(GO) mod tidy
	cd app/example && $(GO) mod tidy
