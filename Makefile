# make run   the server on the embedded default         make test     every test
# make test-long lint bench build interop tidy          (what each does: make help)
SHELL := bash
GO ?= go
BIN := bin/stoa
GOLANGCI := .cache/bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
# Without the tag, what decodes images prefers the shared libraries of the system, which must not see what people upload.
export GOFLAGS := $(GOFLAGS) -tags=nodynamic
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# One way to compile, so that vet, build, tests, fuzzing and the tour share the build cache, also between checkouts: the paths of
# this one are left out, and so is cgo, which only the race detector needs.
export GOFLAGS := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath
export CGO_ENABLED := 0

.PHONY: help run build web web-if-node test test-long test-race test-plain test-postgres test-example fuzz lint bench abuse cluster interop languages tidy

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

run: web-if-node ## start the server on the embedded default: SQLite in ./data, http://localhost:9991
	$(GO) run ./app/cmd/stoa serve

build: web-if-node ## the server as one static binary, bin/stoa, with the web client if Node.js is installed
	$(GO) build -ldflags '-s -w -X github.com/stoachat/stoa/app.Version=$(VERSION)' -o $(BIN) ./app/cmd/stoa

# The web client is embedded into the server. Vite builds it once; it is built again when one of its sources is newer.
WEB := modules/web/ui
WEB_PAGE := modules/web/dist/index.html
WEB_SOURCES = $(shell find $(WEB) -path '*/node_modules' -prune -o -path $(WEB)/test -prune -o -type f -print 2>/dev/null)
# Node.js as it is needed: version 20.19 or later, with npm.
NODE_OK = command -v npm >/dev/null && node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' 2>/dev/null

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

test: ## every test once: with the race detector on SQLite, then on PostgreSQL what can differ there; random tests run few rounds
	.ci/postgres $(MAKE) --no-print-directory -j 3 ROUNDS=-short test-race test-plain test-postgres test-example

test-long: ## all tests on both databases with the race detector, all random rounds, and fuzzing (15 s for each target; FUZZTIME=15s)
	.ci/postgres $(MAKE) --no-print-directory -j 2 DATABASES=both test-race test-plain test-example
	$(MAKE) --no-print-directory fuzz FUZZTIME=$(LONG_FUZZTIME)

# The race detector does not watch the part of SQLite that is C turned into Go, nor the C library and the allocator below it: with
# it they are ten times slower, and their races are not ours. The list must not grow: unwatched code brings its own copies of
# generic code of the standard library, sync.Map for one, and the linker may use those everywhere, which reports races that do not
# exist. (Of these three only the C library has such a copy, in the listing of directories.)
# Without debugging tables a binary links in three quarters of the time. make lint vets everything, so go test need not.
unwatched := -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/memory=-race=false
TEST := -vet=off -count=1 -timeout 40m -ldflags='-s -w'
RACE := -race $(unwatched)
# A binary with the race detector waits a second before it exits, for races that are still to come.
export GORACE ?= atexit_sleep_ms=10
# The heaps are small and the memory of the machine is not: collecting garbage less often saves a tenth of the time.
BOTH := -exec '$(CURDIR)/.ci/each-database both'
ON_SQLITE := -exec '$(CURDIR)/.ci/each-database sqlite'
ON_POSTGRES := -exec '$(CURDIR)/.ci/each-database postgres'
AND_MARKED := -exec '$(CURDIR)/.ci/each-database marked'

ROUNDS ?=
DATABASES ?= sqlite
LONG_FUZZTIME ?= 15s

# One request after the other finds no race: the tables of who may do what, the sequences of the state by events and the histories
# of the read state run without the race detector, which makes them several times slower.
# So do some long tests of other packages, all sequences of requests.
SEQUENCES := ^Test(StateByEventsIsStateByRegister|Authorization|NarrowOracle|LargeAnswers|SearchIsCharged|HostileLinkifiers|ChannelRules)$$
# So do the sets of identifiers and the rules of permissions, which are pure, and the codecs of images, which take three minutes
# to compile with it.
UNRACED := ./app/proof/access ./app/proof/leftout ./domain/idset ./domain/permission ./adapters/images
PLAIN := $(UNRACED) ./modules/messages/internal/readstate ./domain/readstate

# Of the other modules with tables PostgreSQL repeats the tests that are marked by kittest.EachDatabase, in the same binary.
MARKED := $(filter-out ./modules/events ./modules/messages,$(patsubst %/migrations,./%,$(wildcard modules/*/migrations)))

test-race: # all packages but those in UNRACED
	CGO_ENABLED=1 STOA_TEST_MARKED='$(MARKED)' $(GO) test $(TEST) $(ROUNDS) $(RACE) $(if $(filter both,$(DATABASES)),$(BOTH),$(AND_MARKED) -skip '$(SEQUENCES)') $$($(GO) list ./... | grep -v $(UNRACED:.%=-e %$$))

test-plain:
	$(GO) test $(TEST) $(ROUNDS) $(if $(filter both,$(DATABASES)),$(BOTH),$(ON_SQLITE)) -run '$(SEQUENCES)' ./app/proof ./modules/messages ./modules/channels ./adapters/markdown
	$(GO) test $(TEST) $(ROUNDS) $(if $(filter both,$(DATABASES)),$(BOTH),$(ON_SQLITE)) $(PLAIN)

# What PostgreSQL repeats, without the race detector: all tests of the packages whose work is SQL, and the proofs, random sequences
# over all routes among them. The access tables hold rules that are decided in Go; make test-long runs them on PostgreSQL too.
WHOLE := ./adapters/bunstore/... ./app/internal/erase ./app/internal/jobs ./app/internal/kernel ./app/internal/server ./app/kittest ./app/proof ./configs ./modules/events/... ./modules/messages/...
test-postgres:
	$(GO) test $(TEST) $(ROUNDS) $(ON_POSTGRES) $(WHOLE)

# The example is a module of its own, and go list fails when its go.mod lacks something. The tests run in a workspace, in which
# the packages of the server are those that are compiled already.
WORKSPACE := $(CURDIR)/.cache/example.work
test-example: export GOWORK = $(WORKSPACE)
test-example:
	cd app/example && GOWORK=off $(GO) list -deps -test ./... >/dev/null
	@mkdir -p $(dir $(WORKSPACE)) && rm -f $(WORKSPACE) && \
	  printf 'go %s\n\nuse %s\nuse %s\n' "$$(GOWORK=off $(GO) list -C $(CURDIR) -m -f '{{.GoVersion}}')" $(CURDIR) $(CURDIR)/app/example >$(WORKSPACE)
	cd app/example && $(GO) vet ./... && CGO_ENABLED=1 $(GO) test $(TEST) $(RACE) ./...

FUZZTIME ?= 1m
# Twice, for go test may report the end of its own time as a failure (context deadline exceeded) on a busy machine. The first run
# keeps what does fail in testdata, and it fails the second.
FUZZ = $(GO) test -vet=off -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p
fuzz: ## fuzzing, a minute for each target (FUZZTIME=1m)
	@git grep -oE '^func Fuzz[A-Za-z0-9_]+' -- '*_test.go' | sed -E 's,(.*)/[^/]*:func (.*),./\1 \2,' | while read -r p f; do \
	  echo "$$p $$f"; $(FUZZ) || $(FUZZ) || exit 1; done

$(GOLANGCI):
	GOBIN=$(CURDIR)/.cache/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

lint: $(GOLANGCI) ## gofmt, go vet and golangci-lint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(GOLANGCI) run ./...

bench: ## what has a budget, on SQLite and on PostgreSQL, as one table: app/proof/budgets/RESULTS.md
	.ci/postgres --durable $(GO) run ./app/proof/budgets app/proof/budgets/RESULTS.md

.PHONY: test-web bench-web
test-web: ## the client for browsers: its store, and the main flows in Chromium
	.ci/web

bench-web: web ## the client for browsers with 10,000 people and 50,000 unread messages: time to open, keys, memory
	$(GO) test -vet=off -run "^$$" -bench "^BenchmarkWeb$$" -benchtime 1x ./app/proof

abuse: ## what one member who means harm can cost a server: CPU seconds, memory, and what an honest client waits
	$(GO) test -vet=off -run '^$$' -bench '^BenchmarkAbuse$$' -benchtime 1x ./app/proof

cluster: ## three nodes on one PostgreSQL while nodes and database are killed and restarted: what is lost, doubled or refused
	.ci/postgres --durable env STOA_TEST_DATABASE=postgres STOA_TEST_ALONE=1 $(GO) test -vet=off -count=1 -v -run '^TestCluster$$' ./app/proof

interop: build ## unmodified client libraries against the server, on both databases
	.ci/postgres app/interop/run

languages: ## the table of code languages, from Pygments
	adapters/markdown/languages/generate

tidy: ## go.mod and go.sum of the server, the example and the senders of interop
	$(GO) mod tidy
	cd app/example && $(GO) mod tidy
	cd app/interop/senders && $(GO) mod tidy
