# make help lists all targets. go build ./... and go test ./... work without make as well.
SHELL := bash
GO ?= go
BIN := bin/stoa
GOLANGCI := .cache/bin/golangci-lint
GOLANGCI_VERSION := v2.15.0
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The same flags everywhere, so that vet, build, tests, fuzzing and the tour share one build cache, even between
# checkouts: paths of the checkout are trimmed, and cgo is disabled, since only the race detector needs it. Without the
# tag, image decoders prefer the system's shared libraries, which must not process users' uploads.
export GOFLAGS := $(filter-out -tags=nodynamic -trimpath,$(shell $(GO) env GOFLAGS)) -tags=nodynamic -trimpath
export CGO_ENABLED := 0

.PHONY: help run build web web-if-node vet test test-long test-web fuzz lint interop bench bench-large bench-import bench-web \
	abuse cluster web-screenshots generate examples languages tidy release

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 17

run: build ## build bin/stoa and start it with its defaults: SQLite in ./data, http://localhost:9991
	$(BIN) serve

build: web-if-node ## the server as one static binary, bin/stoa, with the web client if Node.js is installed
	$(GO) build -ldflags '-s -w -X github.com/stoachat/stoa/app.Version=$(VERSION)' -o $(BIN) ./app/cmd/stoa

# The web client is embedded into the server. Vite rebuilds it if one of its sources is newer.
WEB := modules/web/ui
WEB_PAGE := modules/web/dist/index.html
WEB_SOURCES = $(shell find $(WEB) -path '*/node_modules' -prune -o -path $(WEB)/test -prune \
	-o -type f -print 2>/dev/null)

web: $(WEB_PAGE) ## the web client, which make build includes; needs Node.js 20.19 or later

$(WEB)/node_modules/.package-lock.json: $(WEB)/package-lock.json
	cd $(WEB) && npm ci --no-audit --no-fund --cache '$(CURDIR)/.cache/npm'
	@touch $@

$(WEB_PAGE): $(WEB)/node_modules/.package-lock.json $(WEB_SOURCES)
	cd $(WEB) && npm run build
	@touch $@

web-if-node:
	@if .ci/has-node; then $(MAKE) --no-print-directory web; \
	else echo "Node.js 20.19 or later is not installed: the server is built without the web client." >&2; fi

vet: ## go vet
	$(GO) vet ./...

test: ## all Go tests on SQLite, those of SQL on PostgreSQL, and those in .ci/raced with the race detector
	.ci/postgres .ci/pgbouncer .ci/slapd .ci/test

test-long: ## all Go tests on both databases with all random rounds, fuzzing, and long tests of the web client
	STOA_TEST_LONG=1 .ci/postgres .ci/pgbouncer .ci/slapd .ci/test
	.ci/fuzz 15s
	.ci/alerts --install
	.ci/release --install --all
	.ci/operator --install
	$(MAKE) --no-print-directory build
	.ci/openapi --fuzz 1200
	.ci/scim
	.ci/saml
	RELOAD_SEQUENCES=3000 MONKEY_ACTIONS=10000 LIMIT=7200 LONG=1 $(MAKE) --no-print-directory test-web

test-web: ## test the web client: its store, and the main flows in Chromium
	.ci/web

fuzz: ## fuzz each target for a minute (FUZZTIME=1m)
	.ci/fuzz $(or $(FUZZTIME),1m)

$(GOLANGCI):
	GOBIN=$(CURDIR)/.cache/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

lint: $(GOLANGCI) $(WEB)/node_modules/.package-lock.json vet ## gofmt, go vet, golangci-lint, prettier and ESLint
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GOLANGCI) run ./...
	npm --prefix $(WEB) run --silent lint

interop: build ## run unmodified client libraries against the server, on both databases
	.ci/postgres app/interop/run

bench: ## measure all budgets on SQLite and PostgreSQL: app/proof/bench/RESULTS.md
	.ci/postgres --durable $(GO) run ./app/proof/bench/budgets app/proof/bench/RESULTS.md

bench-large: ## measure what users pay for a million messages of others: growth factors, also into RESULTS.md
	.ci/postgres --durable $(GO) run ./app/proof/bench/budgets -large app/proof/bench/RESULTS.md

bench-import: ## import a million messages and 20,000 files into SQLite and PostgreSQL: CPU time per message and peak memory
	STOA_IMPORT_MESSAGES=1000000 $(GO) test -vet=off -run '^$$' -bench '^BenchmarkImport$$' -benchtime 1x -timeout 2h ./modules/imports
	STOA_IMPORT_MESSAGES=1000000 STOA_TEST_DATABASE=postgres .ci/postgres --durable \
		$(GO) test -vet=off -run '^$$' -bench '^BenchmarkImport$$' -benchtime 1x -timeout 2h ./modules/imports

bench-web: web ## measure the web client with 10,000 users and 50,000 unread messages: startup time, key latency, memory
	$(GO) test -vet=off -run "^$$" -bench "^BenchmarkWeb$$" -benchtime 1x ./app/proof/bench

abuse: ## what a malicious member, or a store that hangs, costs: CPU time, memory, and the latency of other clients
	$(GO) test -vet=off -run '^$$' -bench '^Benchmark(Abuse|HangingStore)$$' -benchtime 1x ./app/proof/bench

cluster: ## kill, hang and starve nodes and database of a cluster: a table of lost, duplicated and refused messages
	.ci/postgres --durable .ci/pgbouncer .ci/standby env STOA_TEST_DATABASE=postgres STOA_TEST_ALONE=1 \
		STOA_TEST_LONG=1 $(GO) test -vet=off -count=1 -v -run '^TestCluster' ./app/proof/crash

web-screenshots: build ## images of every view of the web client, in .cache/screenshots
	node $(WEB)/test/screens/screenshots.mjs .cache/screenshots

generate: ## write what is derived from the modules: lists of settings, ports, tables and operations, modules/map.txt
	$(GO) test -vet=off ./configs ./app/internal/cli ./modules/exports ./modules/standard \
		-run '^Test(Readme|ModulesMap|Operations|CommandList|Providers)$$' -update

examples: ## add missing examples of responses, and error codes, to the description of the API
	.ci/examples

languages: ## generate the table of code languages from Pygments
	adapters/markdown/languages/generate

release: web ## build everything that VERSION=1.2.3 is published as, reproducibly, into dist
	cd app/release && GOFLAGS= GOWORK=off $(GO) run . -version '$(VERSION)'

tidy: ## tidy go.mod and go.sum of the server and of the other Go modules
	for m in . app/example app/interop/senders app/interop/validator; do (cd $$m && $(GO) mod tidy) || exit; done
	cd app/release && $(GO) mod tidy -e # tests of nfpm need modules that not every proxy has
