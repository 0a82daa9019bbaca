# Everything is a target here; `make help` lists them. Tools are fetched at
# pinned versions into .tools/ (ignored by git). Where one cannot be had, a
# target says "skipped" and goes on; with CI=true that is an error.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS   += --no-print-directory --silent

VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
STATICCHECK := v0.8.2
RIE         := v0.0.0-20261030222936-bef5c4ba774d

TOOLS := $(CURDIR)/.tools
NPM   := $(TOOLS)/npm
MOTO  := $(TOOLS)/moto
LINTER     := $(TOOLS)/staticcheck@$(STATICCHECK)/staticcheck
LAMBDA_RIE := $(TOOLS)/rie@$(RIE)/aws-lambda-rie
GO_LD := -s -w -X main.version=$(VERSION)
FUZZTIME ?= 5s

# The conformance suite wants Node 22; a package brings it where it is missing.
NODE = $$(for n in $(NPM)/node_modules/node-linux-*/bin/node node; do \
	if command -v $$n >/dev/null && [ "$$($$n -p 'process.versions.node.split(".")[0]')" -ge 22 ]; then echo $$n; exit; fi; done; echo node-22-is-missing)

# $(call need,COMMAND,WHAT): leave the recipe with one clear line when COMMAND
# is missing. Works in a recipe that is one shell (joined by backslashes).
need = if ! command -v $(1) >/dev/null 2>&1; then echo "skipped: $(2) needs $(1)"; [ "$${CI:-}" != true ]; exit; fi

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

.PHONY: run
run: ## serve on http://127.0.0.1:8765/mcp: your data with API_KEY set, else the demo athlete
	@trap 'exit 0' INT; [ "$$(go build -n ./cmd/intervals-mcp 2>&1 | grep -c '/compile ')" -lt 40 ] || echo "compiling (a minute or more the first time)" >&2; go run ./cmd/intervals-mcp serve $(ARGS)

.PHONY: test
test: ## run the tests (needs only Go)
	@go test ./...

.PHONY: build
build: bin/intervals-mcp bin/intervals-mcp-stack ## build bin/intervals-mcp and, for --stack, bin/intervals-mcp-stack

.PHONY: bin/intervals-mcp bin/intervals-mcp-stack
bin/intervals-mcp bin/intervals-mcp-stack:
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '$(GO_LD)' -o $@ ./cmd/$(@F)

.PHONY: check
check: fmt vet lint tidy race rie conformance sdk-clients signin soak-short ## all checks of the code; CI (.ci/run) also runs aws-check
	@echo "check: all good"

.PHONY: fmt
fmt: ## fail when a file is not gofmt'ed
	@bad=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); [ -z "$$bad" ] || { echo "gofmt -w these:"; echo "$$bad"; exit 1; }

.PHONY: vet
vet: ## go vet
	@go vet ./...

.PHONY: lint
lint: ## staticcheck
	@if [ ! -x $(LINTER) ] && ! $(MAKE) $(LINTER); then \
		echo "skipped: lint needs staticcheck, which could not be fetched"; [ "$${CI:-}" != true ]; exit; fi; \
	$(LINTER) ./...

.PHONY: tidy
tidy: ## fail when go.mod or go.sum is not tidy
	@go mod tidy -diff

.PHONY: race
race: ## tests with the race detector, counted; none may be skipped in CI
	@if [ "$$(go env CGO_ENABLED)" != 1 ] || ! command -v $$(go env CC) >/dev/null; then \
		echo "skipped: the race detector needs a C compiler"; [ "$${CI:-}" != true ]; \
		go test -json ./... | go run ./infra/gotest; exit; fi; \
	export LAMBDA_RIE=$$(ls $(LAMBDA_RIE) 2>/dev/null || true); \
	go test -race -json ./... | go run ./infra/gotest

.PHONY: generate
generate: ## renew docs/tools.md and the tools' snapshots
	@go run ./infra/gen

.PHONY: rie
rie: ## every file of events/ through AWS's Runtime Interface Emulator
	@if [ ! -x $(LAMBDA_RIE) ] && ! $(MAKE) $(LAMBDA_RIE); then \
		echo "skipped: rie needs aws-lambda-rie, which could not be fetched"; [ "$${CI:-}" != true ]; exit; fi; \
	LAMBDA_RIE=$(LAMBDA_RIE) go test -count=1 -json ./infra/e2e/... | go run ./infra/gotest

.PHONY: conformance
conformance: ## the MCP conformance suite against our server, both protocol eras
	@$(call need,npm,conformance); $(MAKE) $(NPM)/.installed; \
	go run ./infra/conformance -node "$(NODE)" -suite $(NPM)/node_modules/@modelcontextprotocol/conformance/dist/index.js

.PHONY: sdk-clients
sdk-clients: bin/intervals-mcp ## the official TypeScript client calls every tool, over HTTP and stdio, confirming each change
	@$(call need,npm,sdk-clients); $(MAKE) $(NPM)/.installed; \
	"$(NODE)" infra/clients/client.mjs $(NPM) bin/intervals-mcp

.PHONY: bench
bench: ## measure speed, memory and tokens; writes docs/performance.md
	@go run ./infra/bench $(ARGS)

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (default 5s)
	@mkdir -p $(TOOLS); grep -rlE '^func Fuzz' --include='*_test.go' . | while read -r f; do \
		grep -ohE '^func Fuzz[A-Za-z0-9_]+' $$f | sed 's/^func //' | while read -r name; do \
			echo "$$name ($$(dirname $$f))"; go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$(dirname $$f) >$(TOOLS)/fuzz.log 2>&1 || { cat $(TOOLS)/fuzz.log; exit 1; }; \
		done; done

.PHONY: tools
tools: $(LINTER) $(LAMBDA_RIE) $(NPM)/.installed $(MOTO)/.installed ## fetch every tool into .tools/

$(LINTER):
	@echo "fetching staticcheck $(STATICCHECK)"; GOFLAGS= GOBIN=$(@D) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK)

$(LAMBDA_RIE):
	@echo "fetching aws-lambda-rie $(RIE)"; GOFLAGS= CGO_ENABLED=0 GOBIN=$(@D) go install github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$(RIE)

$(NPM)/.installed: infra/npm/package.json infra/npm/package-lock.json
	@echo "fetching Node packages"; mkdir -p $(NPM); cp $^ $(NPM)/; \
	npm ci --prefix $(NPM) --ignore-scripts --no-audit --no-fund --loglevel=error; touch $@

.PHONY: moto
moto: $(MOTO)/.installed ## fetch moto, which stands in for DynamoDB and Secrets Manager in tests

$(MOTO)/.installed: infra/python/moto.txt
	@echo "fetching moto"; python3 -m venv $(MOTO); \
	$(MOTO)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<; touch $@

.PHONY: clean
clean: ## remove what was built and fetched
	@rm -rf bin dist .tools .aws-sam

# What concerns the stack in an AWS account.
-include infra/aws.mk
include infra/blackbox.mk
include infra/browser.mk
include infra/signin.mk
include infra/soak.mk
