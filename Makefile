# make prints what it can do; make check test is what CI runs.
SHELL := /bin/bash
.DEFAULT_GOAL := help

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
GO_BUILD := go build -trimpath -ldflags "-X main.version=$(VERSION)"
ECHARTS := reporter/assets/vendor/echarts.min.js

.PHONY: help run build assets test check bench fuzz clean

help: ## show this list
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build, and start the demo on the embedded store (ARGS=... for more flags)
	@bin/precount serve --demo $(ARGS)

build: assets ## build bin/precount
	@mkdir -p bin
	$(GO_BUILD) -o bin/precount ./cmd/precount

# The charts' library, pinned in package-lock.json. Without npm the program is built without it and loads the same
# version from a public CDN.
assets: ## fetch the charts' JavaScript with npm, if there is npm
	@if [ $(ECHARTS) -nt package-lock.json ]; then :; \
	elif ! command -v npm >/dev/null; then \
		echo "npm is not here: report pages will load ECharts from a CDN"; \
	elif npm ci --ignore-scripts --no-audit --no-fund --silent; then \
		cp node_modules/echarts/dist/echarts.min.js $(ECHARTS); touch $(ECHARTS); \
	else \
		echo "npm ci failed: report pages will load ECharts from a CDN"; \
	fi

# The race detector needs a C compiler; without one the tests run without it, and the last line says so.
RACE := $(shell command -v $${CC:-gcc} >/dev/null 2>&1 && echo -race)

test: assets testserver ## run all tests: race detector, shuffled; ends with a line about what was left out
	@left=$$(mktemp) && trap 'rm -f "$$left"' EXIT && \
	{ [ -n "$(RACE)" ] || echo "the race detector: no C compiler; have it by: apt-get install gcc" >> "$$left"; } && \
	{ [ -n "$(RACE)" ] || [ "$$CI" != true ] || { cat "$$left"; exit 1; }; } && \
	PRECOUNT_LEFT_OUT="$$left" go test $(RACE) -shuffle=on -timeout 20m ./... && \
	if [ -s "$$left" ]; then \
		echo "LEFT OUT: $$(sort -u "$$left" | paste -sd '|' | sed 's/|/ | /g')"; \
	else \
		echo "nothing was left out"; \
	fi

# A MongoDB-compatible server for tests, 870 MB in the user's cache; or name one in PRECOUNT_TEST_MONGODB.
.PHONY: testserver
testserver:
	@if [ -z "$$PRECOUNT_TEST_MONGODB" ] && [ "$$(uname -s)-$$(id -u)" = Linux-0 ]; then \
		internal/mongotest/server.sh install || echo "the tests on MongoDB will be left out"; \
	fi

check: ## formatting, vet, staticcheck, tidy modules, architecture, benchmarks compile and run once
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
		[ -z "$$unformatted" ] || { echo "not formatted by gofmt: $$unformatted"; exit 1; }
	go vet ./...
	GOOS=darwin go vet ./internal/journal ./cmd/precount
	GOOS=windows go vet ./internal/journal
	go tool staticcheck ./...
	go mod tidy -diff
	go test ./internal/archtest

fuzz: ## fuzz every decoder for FUZZTIME (30s) each
	@set -e; for target in $$(grep -rhoE '^func Fuzz\w+' --include='*_test.go' . | awk '{print $$2}' | sort -u); do \
		package=$$(grep -rlE "^func $$target\(" --include='*_test.go' . | head -1 | xargs dirname); \
		go test $$package -run '^$$' -fuzz "^$$target$$" -fuzztime $(or $(FUZZTIME),30s); \
	done

bench: build ## measure, side by side on this machine; results are printed as Markdown
	go run ./bench

clean: ## remove what was built and fetched
	rm -rf bin node_modules $(ECHARTS)
