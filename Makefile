# make run   the server with its defaults               make test     every test
# make test-long lint bench build interop tidy          (what each does: make help)
SHELL := bash
GO ?= go
BIN := bin/stoa
GOLANGCI := .cache/bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
# Without this tag, image decoders prefer the system's shared libraries, which must not process users' uploads.
export GOFLAGS := $(GOFLAGS) -tags=nodynamic
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The same flags everywhere, so that vet, build, tests, fuzzing and the tour share one build cache, even between
# checkouts: paths of the checkout are trimmed, and cgo is disabled, since only the race detector needs it.
export GOFLAGS := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath
export CGO_ENABLED := 0

.PHONY: help run build web web-if-node test test-long test-race test-plain test-postgres test-example \
	fuzz lint bench abuse cluster interop languages tidy

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: build ## build bin/stoa and start it with its defaults: SQLite in ./data, http://localhost:9991
	$(BIN) serve

build: web-if-node ## the server as one static binary, bin/stoa, with the web client if Node.js is installed
	$(GO) build -ldflags '-s -w -X github.com/stoachat/stoa/app.Version=$(VERSION)' -o $(BIN) ./app/cmd/stoa

# The web client is embedded into the server. Vite rebuilds it if one of its sources is newer.
WEB := modules/web/ui
WEB_PAGE := modules/web/dist/index.html
WEB_SOURCES = $(shell find $(WEB) -path '*/node_modules' -prune -o -path $(WEB)/test -prune \
	-o -type f -print 2>/dev/null)
# The web client needs Node.js 20.19 or later, with npm.
NODE_OK = command -v npm >/dev/null && node -e \
	'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null

web: $(WEB_PAGE) ## the web client, which make build includes; needs Node.js 20.19 or later

$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	cd $(WEB) && npm ci --no-audit --no-fund --cache '$(CURDIR)/.cache/npm'
	@touch $@

$(WEB_PAGE): $(WEB)/node_modules/.package-lock.json $(WEB_SOURCES)
	cd $(WEB) && npm run build
	@touch $@

web-if-node:
	@if $(NODE_OK); then $(MAKE) --no-print-directory web; \
	else echo "Node.js 20.19 or later is not installed: the server is built without the web client." >&2; fi

test: ## all tests once: on SQLite with the race detector, then what may differ on PostgreSQL; few random rounds
	.ci/postgres .ci/pgbouncer $(MAKE) --no-print-directory -j 3 ROUNDS=-short test-race test-plain test-postgres test-example

test-long: ## all tests on both databases with the race detector, all random rounds, and fuzzing; needs Chromium
	.ci/postgres .ci/pgbouncer $(MAKE) --no-print-directory -j 2 DATABASES=both test-race test-plain test-example
	$(MAKE) --no-print-directory fuzz FUZZTIME=$(LONG_FUZZTIME)
	RELOAD_SEQUENCES=3000 MONKEY_ACTIONS=10000 LIMIT=7200 .ci/web

# The race detector excludes the C parts of SQLite that were translated to Go, and their C library and allocator: with
# it they are ten times slower, and their races are not ours. The list must not grow: excluded packages contain copies
# of generic code of the standard library, such as sync.Map, and if the linker uses those elsewhere, false races are
# reported. (Of these three packages only the C library has such a copy, in its directory listing.)
# Without debug information a binary links in three quarters of the time. make lint runs vet, so go test need not.
unwatched := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false \
	-gcflags=modernc.org/memory=-race=false
TEST := -vet=off -count=1 -timeout 40m -ldflags='-s -w'
RACE := -race $(unwatched)
# By default, the race detector waits a second before the program exits.
export GORACE ?= atexit_sleep_ms=10
# Heaps are small compared to the machine's memory: less frequent garbage collection saves a tenth of the time.
BOTH := -exec '$(CURDIR)/.ci/each-database both'
ON_SQLITE := -exec '$(CURDIR)/.ci/each-database sqlite'
ON_POSTGRES := -exec '$(CURDIR)/.ci/each-database postgres'
AND_MARKED := -exec '$(CURDIR)/.ci/each-database marked'

ROUNDS ?=
DATABASES ?= sqlite
LONG_FUZZTIME ?= 15s

# Sequential requests cannot race: the access tables, the random sequences of the state oracle and the histories of the
# read state run without the race detector, which would make them several times slower.
# The same holds for some long tests of other packages, which are all sequential.
SEQUENCES := StateByEventsIsStateByRegister|Authorization|NarrowOracle|LargeAnswers|SearchIsCharged
SEQUENCES := ^Test($(SEQUENCES)|HostileLinkifiers|HostileCode|ChannelRules)$$
# With the race detector, sync.Pool drops objects at random, so that tests cannot compare allocations; and all lexers on
# all hostile patterns would take an hour.
MEASURED := ^TestHostile(Linkifiers|Code)$$
# It also holds for the domain packages, which are pure except for the directory, and for the image codecs, which take
# three minutes to compile with the race detector.
DOMAIN := $(filter-out ./domain/directory,$(patsubst %/,./%,$(sort $(dir $(wildcard domain/*/*_test.go)))))
UNRACED := ./app/proof/access ./app/proof/leftout ./adapters/images
PLAIN := $(UNRACED) ./modules/messages/internal/readstate $(DOMAIN)

# And it holds for modules without shared memory whose tests are sequential; make test-long watches them, too.
CONCURRENT := "sync["/]|errgroup|make.chan|^[[:space:]]*go [a-z]|kit[.]Repeat|[.]Parallel|[.]Another|Await
QUIET := $(filter-out \
	$(addprefix ./modules/,kit $(shell grep -rlE '$(CONCURRENT)' --include='*.go' modules | cut -d/ -f2 | sort -u)),\
	$(patsubst %/,./%,$(wildcard modules/*/)))

# In other modules with tables, the tests that use kittest.EachDatabase are repeated on PostgreSQL, in the same binary.
MARKED := $(filter-out ./modules/events ./modules/messages,\
	$(patsubst %/migrations,./%,$(wildcard modules/*/migrations)))

WITHOUT := $(UNRACED) $(DOMAIN) $(if $(filter both,$(DATABASES)),,$(QUIET))
# Tests of one package often wait for each other, so one more package than the usual two cores keeps these busy.
# The slowest packages start first: otherwise one of them runs alone at the end.
SLOWEST := ./app/proof $(addprefix ./modules/,messages uploads realm sessions topics)
test-race: # all packages but those in WITHOUT
	CGO_ENABLED=1 STOA_TEST_MARKED='$(MARKED)' $(GO) test -p 3 $(TEST) $(ROUNDS) $(RACE) \
		$(if $(filter both,$(DATABASES)),$(BOTH) -skip '$(MEASURED)',$(AND_MARKED) -skip '$(SEQUENCES)') \
		$(SLOWEST) $$($(GO) list ./... | grep -vE '($(subst $( ) ,|,$(WITHOUT:./%=%)))(/|$$)')

test-plain:
	$(GO) test $(TEST) $(ROUNDS) $(if $(filter both,$(DATABASES)),$(BOTH),$(ON_SQLITE)) -run '$(SEQUENCES)' \
		./app/proof ./modules/messages ./modules/channels ./adapters/markdown
	$(GO) test $(TEST) $(ROUNDS) $(if $(filter both,$(DATABASES)),$(BOTH),$(ON_SQLITE)) $(PLAIN)
	$(if $(filter both,$(DATABASES)),,STOA_TEST_MARKED='$(MARKED)' $(GO) test $(TEST) $(ROUNDS) $(AND_MARKED) \
		$(QUIET:%=%/...))

# Tests repeated on PostgreSQL without the race detector: all tests of packages that mainly contain SQL, and the proofs,
# including random sequences of all routes. The access tables test rules in Go; make test-long runs them on PostgreSQL.
WHOLE := ./adapters/bunstore/... ./app/internal/erase ./app/internal/jobs ./app/internal/kernel ./app/internal/server \
	./app/kittest ./app/proof ./configs ./modules/events/... ./modules/messages/...
test-postgres:
	$(GO) test $(TEST) $(ROUNDS) $(ON_POSTGRES) $(WHOLE)

# The example is a separate Go module, and go list fails if its go.mod is incomplete. Its tests run in a workspace, so
# that they use the server's compiled packages.
WORKSPACE := $(CURDIR)/.cache/example.work
test-example: export GOWORK = $(WORKSPACE)
test-example:
	cd app/example && GOWORK=off $(GO) list -deps -test ./... >/dev/null
	@mkdir -p $(dir $(WORKSPACE)) && rm -f $(WORKSPACE) && \
	  printf 'go %s\n\nuse %s\nuse %s\n' \
	    "$$(GOWORK=off $(GO) list -C $(CURDIR) -m -f '{{.GoVersion}}')" $(CURDIR) $(CURDIR)/app/example >$(WORKSPACE)
	cd app/example && $(GO) vet ./... && CGO_ENABLED=1 $(GO) test $(TEST) $(RACE) ./...

FUZZTIME ?= 1m
# Each target runs up to twice, because on a busy machine go test may report the end of the fuzzing time as a failure
# (context deadline exceeded). The first run stores a real failure in testdata, where it fails the second run.
FUZZ = $(GO) test -vet=off -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p
fuzz: ## fuzz each target for a minute (FUZZTIME=1m)
	@git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed -E 's,(.*)/[^/]*:func (.*),./\1 \2,' | \
	while read -r p f; do \
	  echo "$$p $$f"; $(FUZZ) || $(FUZZ) || exit 1; done

$(GOLANGCI):
	GOBIN=$(CURDIR)/.cache/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

lint: $(GOLANGCI) $(WEB)/node_modules/.package-lock.json ## gofmt, go vet, golangci-lint, prettier and ESLint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GOLANGCI) run ./...
	npm --prefix $(WEB) run --silent lint

bench: ## measure all budgets on SQLite and PostgreSQL: app/proof/budgets/RESULTS.md
	.ci/postgres --durable $(GO) run ./app/proof/budgets app/proof/budgets/RESULTS.md

bench-large: ## measure what users pay for a million messages of others: growth factors, also into RESULTS.md
	.ci/postgres --durable $(GO) run ./app/proof/budgets -large app/proof/budgets/RESULTS.md

.PHONY: test-web web-screenshots bench-web bench-large
test-web: ## test the web client: its store, and the main flows in Chromium
	.ci/web

web-screenshots: build ## images of every view of the web client, in .cache/screenshots
	node $(WEB)/test/screens/screenshots.mjs .cache/screenshots

bench-web: web ## measure the web client with 10,000 users and 50,000 unread messages: startup time, key latency, memory
	$(GO) test -vet=off -run "^$$" -bench "^BenchmarkWeb$$" -benchtime 1x ./app/proof

abuse: ## what a malicious member, or a store that hangs, costs: CPU time, memory, and the latency of other clients
	$(GO) test -vet=off -run '^$$' -bench '^Benchmark(Abuse|HangingStore)$$' -benchtime 1x ./app/proof

cluster: ## kill, hang and starve nodes and database of a cluster: a table of lost, duplicated and refused messages
	.ci/postgres --durable .ci/pgbouncer .ci/standby env STOA_TEST_DATABASE=postgres STOA_TEST_ALONE=1 \
		$(GO) test -vet=off -count=1 -v -run '^TestCluster' ./app/proof

interop: build ## run unmodified client libraries against the server, on both databases
	.ci/postgres app/interop/run

languages: ## generate the table of code languages from Pygments
	adapters/markdown/languages/generate

tidy: ## tidy go.mod and go.sum of the server, the example and the interop senders
	$(GO) mod tidy
	cd app/example && $(GO) mod tidy
	cd app/interop/senders && $(GO) mod tidy
