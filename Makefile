# Everything a developer runs. "make help" lists it; CI runs .ci/run, which runs the same.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

INTEGRATION := runtime/internal/integration
MODULES     := $(patsubst %/,%,$(dir $(shell git ls-files -co --exclude-standard 'go.mod' '*/go.mod' ':!:*testdata*')))
TESTCOUNT   := .cache/bin/testcount
TESTFLAGS   ?= -race -count=1 -timeout=12m
FUZZTIME    ?= 20s
SEEDS       ?= 1000
LEADERS     := '^Test(Standby|Leader)'
SIMULATION  := ./runtime/internal/simulation
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# each runs one command in every module.
define each
for module in $(MODULES); do (cd "$$module" && $(1)); done
endef

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  \1\t\2/' | expand -t 16

.PHONY: generate
generate: ## run go generate in all modules
	@$(call each,go generate ./...)

.PHONY: build
build: ## compile all modules; the commands go to bin/
	@$(call each,go build ./...)
	@mkdir -p bin && go build -o bin/ ./cmd/...

.PHONY: test
test: server testcount ## run and count the tests of all modules, with -race, a real MongoDB and Redis
	@simulated=0; $(MAKE) --no-print-directory simulate SEEDS=300 || simulated=$$?; \
		$(TESTCOUNT) -- $(TESTFLAGS) ./...; exit $$simulated

.PHONY: race
race: testcount ## repeat the runtime's tests five times under the race detector
	@$(TESTCOUNT) -only . -- -race -count=5 ./runtime/...

.PHONY: integration
integration: server testcount ## run the tests that need a real MongoDB, alone
	@$(TESTCOUNT) -only $(INTEGRATION) -- $(TESTFLAGS) ./...

.PHONY: golden
golden: ## rewrite what the generator's golden tests expect
	@go test -count=1 ./internal/cli -run '^TestGoldens$$' -update

.PHONY: soak
soak: server testcount ## run for an hour what "make test" runs a few times
	@FW_REQUIRE_MONGO=1 FW_CRASH_ROUNDS=50 $(TESTCOUNT) -only $(INTEGRATION) -- \
		-race -count=1 -timeout=60m -run 'TestKilledAtAnyPoint' .
	@FW_REQUIRE_MONGO=1 FW_LEADER_ROUNDS=20 FW_LEADER_DEFAULT_TTL=1 FW_CHURN_SECONDS=120 \
		$(TESTCOUNT) -only $(INTEGRATION) -- -race -count=1 -timeout=60m -run $(LEADERS) .
	@$(TESTCOUNT) -only . -- -race -count=1 -timeout=30m -run Simulation ./runtime/internal/lease \
		-rapid.checks=5000
	@$(MAKE) --no-print-directory simulate SEEDS=10000

.PHONY: simulate
simulate: ## play SEEDS (1000) schedules of faults in virtual time, and judge them
	@go test -count=1 -timeout=60m -run '^TestSeeds$$' $(SIMULATION) -args -seeds=$(SEEDS)

.PHONY: mutation
mutation: ## plant faults into copies of the runtime, and see the simulation find each
	@go test -count=1 -timeout=60m -tags=mutation -v -run '^TestPlantedFaultIsFound$$/($(MUTATION))' $(SIMULATION)

.PHONY: cover
cover: server ## measure coverage over all modules into .cache/coverage.txt
	@scripts/cover

.PHONY: demo
demo: ## play the orders example in one process, then on real servers, with a killed leader
	@[ -n "$${MONGODB_URI:-}" ] || scripts/mongod path >/dev/null 2>&1 || scripts/mongod fetch
	@go build -o .cache/bin/ ./examples/orders ./examples/orders/demo
	@.cache/bin/demo

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (20s)
	@scripts/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## measure the generator, the in-process server, and the start of the orders example
	@go run ./scripts/genbench
	@go test -run '^$$' -bench . ./runtime/fwtest
	@go build -o .cache/bin/ ./examples/orders
	@MONGODB_URI= .cache/bin/orders | grep 'first order'

.PHONY: lint
lint: ## run staticcheck on all modules
	@$(call each,go run $(STATICCHECK) ./...)

.PHONY: verify
verify: ## check generated code, go.mod, vet, format, lint and layout
	@scripts/unchanged $(MAKE) --no-print-directory generate
	@go run ./cmd/fwgen check ./...
	@$(call each,go mod tidy -diff)
	@$(call each,go vet ./...)
	@scripts/gofmt
	@$(MAKE) --no-print-directory lint
	@go test -count=1 ./internal/layout

.PHONY: tidy
tidy: ## run go mod tidy in all modules
	@$(call each,go mod tidy)

# What the targets above need.

.PHONY: server
server:
	@for split in "" --split; do \
		scripts/mongod path $$split >/dev/null 2>&1 || scripts/mongod fetch $$split || \
		echo "going on without: tests that need it are skipped (FW_REQUIRE_MONGO=1: fail)"; done

.PHONY: testcount
testcount:
	@go build -o $(TESTCOUNT) ./scripts/testcount
