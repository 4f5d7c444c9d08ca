SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

SURPLUS := dist/src/main.js
NPM_CI := npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
TOOLS := tools/node_modules/.bin
# Ends a failed check with the way to fix it.
fix = { echo 'To fix: $(1)' >&2; exit 1; }
SOURCES := $(shell find src generated data -name '*.ts' -o -name '*.json' 2>/dev/null)

.PHONY: help run live build dev test test-slow test-node24 slow-when-changed check verify lint types contract generate clients drift traceability breaking released release layers unused audit sbom drill drill-changes real-data shots site-check bench reference conformance clean

help: ## Show this help.
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: dist/.built ## Install, load 2,000 demo lots into an empty database, print keys, and serve on PORT (8080).
	@[ -e vendor/scalar.js ] || nice -n 19 node tools/fetchReference.mjs &
	@exec $(SURPLUS) serve --demo

live: dist/.built ## Install, fetch the real lots and sold prices into .surplus-live, print a key, and serve on PORT (8080).
	@[ -e vendor/scalar.js ] || nice -n 19 node tools/fetchReference.mjs &
	@exec $(SURPLUS) serve --live

build: dist/.built ## Install what serving needs and build dist/src/main.js, the program.

dev: node_modules/.installed reference ## Serve from the sources, and restart on every change.
	@npx tsx watch src/main.ts serve --demo

test: node_modules/.installed reference ## Install and run the tests, on a PostgreSQL of its own (or TEST_DATABASE_URL); TESTS=<files>: only those.
	@npx vitest run --project tests --project ledger $(TESTS) || $(call fix,npx vitest run --project tests <the failed file> runs one file again)

test-slow: node_modules/.installed tools/node_modules/.installed reference ## Run load, faults, pages in Chromium and gates of the build (15 minutes), and print the trailers that let CI skip them.
	@tools/slowTests.sh all

# The tests that CI skips where a commit says that they passed with the files that they watch.
slow-when-changed: node_modules/.installed tools/node_modules/.installed reference
	@tools/slowTests.sh changed

test-node24: node_modules/.installed tools/node24/node_modules/.installed # Run the contract, metering and MCP tests, and those of hostile callers and codings, on Node 24 (Linux).
	@node tools/node24/run.mjs node_modules/vitest/vitest.mjs run --project tests --maxWorkers=2 test/contract test/metering test/mcp test/hostile test/http/compression.test.ts

check: SMOKE := 1
check: verify audit test site-check slow-when-changed test-node24 conformance ## Everything that CI runs, quick to slow; each failure ends with the command that fixes it.

verify: lint types drift contract breaking released layers unused ## All checks but the tests.

lint: tools/node_modules/.installed # Format and code rules.
	@$(TOOLS)/biome check --config-path=tools . || $(call fix,tools/node_modules/.bin/biome check --config-path=tools --write .)

types: node_modules/.installed # Type check.
	@npx tsc -p tsconfig.json || $(call fix,correct the types named above; after a change of openapi.yaml first: make generate)

contract: tools/node_modules/.installed # Lint the contract and its examples.
	@$(TOOLS)/redocly lint --config tools/redocly.yaml openapi.yaml generated/openapi-3.0.json 2>&1 | grep -v '[║╔╚]' || $(call fix,correct openapi.yaml; then: make generate)
	@$(TOOLS)/spectral lint --ruleset tools/spectral.yaml --fail-severity hint openapi.yaml || $(call fix,correct openapi.yaml; then: make generate)

generate: node_modules/.installed tools/node_modules/.installed ## Derive generated/ from openapi.yaml and migrations/, and say what comes next.
	@node tools/types.mjs
	@cd tools && node deriveTwin.mjs
	@env -u TEST_DATABASE_URL npx tsx tools/schema.ts
	@node tools/clients.mjs
	@node tools/nextStep.mjs

clients: node_modules/.installed tools/node_modules/.installed # Derive the TypeScript client in generated/downloads from the contract.
	@node tools/clients.mjs

drift: node_modules/.installed tools/node_modules/.installed # Fail when something derived is stale.
	@node tools/types.mjs --check || $(call fix,make generate)
	@cd tools && node deriveTwin.mjs --check || $(call fix,make generate)
	@env -u TEST_DATABASE_URL npx tsx tools/schema.ts --check || $(call fix,make generate)
	@node tools/clients.mjs --check || $(call fix,make clients)

traceability: node_modules/.installed # Print where each requirement is met and which test proves it.
	@npx tsx tools/traceability.ts

breaking: tools/node_modules/.installed # Fail when openapi.yaml breaks a client of the last release.
	@node tools/breaking.mjs

released: # Fail when a released file changed (released/SHA256SUMS), or a migration does not come after the released ones.
	@node tools/released.mjs

layers: tools/node_modules/.installed # Fail when an import goes up a layer or in a circle.
	@$(TOOLS)/depcruise --config tools/layers.cjs src generated || $(call fix,move what both files need to the lower layer; the layers are in CONTRIBUTING.md)

unused: node_modules/.installed tools/node_modules/.installed # Fail on files, exports and dependencies that nobody uses.
	@$(TOOLS)/knip --config tools/knip.json || $(call fix,remove what is listed above or use it)

audit: node_modules/.installed # Fail on a high or critical known vulnerability in a shipped package; print NOT AUDITED where the registry does not answer.
	@npx tsx tools/audit.ts

sbom: # Write what is shipped as a CycloneDX file, sbom.cdx.json (by npm, from the lock file).
	@npm sbom --package-lock-only --omit=dev --sbom-format=cyclonedx --sbom-type=application >sbom.cdx.json
	@echo 'sbom.cdx.json has the shipped packages with their versions and licenses.'

release: dist/.built node_modules/.installed ## Write contract, schema, dump and facts of this version into released/, with checksums (Debian's postgresql; CONTRIBUTING.md).
	@node --import tsx tools/release/release.ts

drill: dist/.built node_modules/.installed ## Kill and cut off the leader of a Patroni cluster under load, stop etcd, and compare answered with counted calls (Debian 12, root, 4 minutes; SYNC=off: lose calls).
	@node --import tsx tools/failover/drill.ts

drill-changes: node_modules/.installed reference ## Sweep a simulated week of GSA every 15 minutes, killed ten times at random moments, and check the log of changes (DRILL_SEED=7).
	@DRILL_SWEEP_EVERY_MINUTES=15 DRILL_SEED=$${DRILL_SEED:-$$RANDOM} npx vitest run --project slow test/slow/faults/sweptWeek.test.ts

real-data: ## Put the open dataset of closed lots where the tests on real lots read it: FROM=<file or https address>.
	@node tools/realData.mjs '$(FROM)'

shots: node_modules/.installed reference ## Write a picture of every page, phone and desktop, light and dark, into the folder SHOTS (shots). Needs Chromium.
	@npx vitest run --project site test/site/shots.test.ts

site-check: node_modules/.installed tools/node_modules/.installed reference ## Check every page, by the routes: html-validate; in Chromium axe, layout shift, bytes, requests, width, photos that fail or are late. SMOKE=1: eight pages; FULL=1: also vnu and Lighthouse, where installed.
	@SMOKE=$(SMOKE) npx vitest run --project site test/site/check.test.ts
	@[ -z "$(FULL)" ] || npx vitest run --project site test/site/outside.test.ts

bench: dist/.built node_modules/.installed ## Print the processor time a call beside the plainest service and the limit (Linux, a quarter of an hour). ONLY=scoring, feedLoad, agentRequests, size, values or scores measures that instead.
	@node --import tsx bench/$(or $(ONLY),bench).ts

reference: vendor/scalar.js # Fetch the renderer of the API reference (one file, 4.4 MB).

conformance: dist/.built tools/conformance/node_modules/.installed tools/node24/node_modules/.installed # Run the official MCP conformance suite (Linux) for both protocol eras, and its authorization scenarios against the sign-in of agents.
	@node tools/conformance/run.mjs
	@node --import tsx tools/conformance/authorization.ts

clean: ## Remove what was built and installed. The embedded database stays in .surplus.
	@rm -rf dist node_modules tools/node_modules tools/conformance/node_modules tools/node24/node_modules vendor

# Serving needs half of the packages. Where all are installed, `make run` does not remove the other half.
node_modules/.serving: package-lock.json
	@echo 'Installing what serving needs (about 10 s) …' >&2
	@$(NPM_CI) $(if $(wildcard node_modules/.installed),,--omit=dev) >&2
	@touch $@ $(wildcard node_modules/.installed)

node_modules/.installed: package-lock.json
	@echo 'Installing all packages (about 20 s) …' >&2
	@$(NPM_CI) >&2
	@touch node_modules/.serving $@

tools/node_modules/.installed: tools/package-lock.json node_modules/.installed
	@echo 'Installing the tools…' >&2
	@cd tools && $(NPM_CI) >&2
	@touch $@

vendor/scalar.js: tools/fetchReference.mjs
	@node tools/fetchReference.mjs

tools/node24/node_modules/.installed: tools/node24/package-lock.json
	@echo 'Installing Node 24…' >&2
	@cd tools/node24 && $(NPM_CI) >&2
	@touch $@

tools/conformance/node_modules/.installed: tools/conformance/package-lock.json
	@echo 'Installing the conformance suite…' >&2
	@cd tools/conformance && $(NPM_CI) >&2
	@touch $@

dist/.built: node_modules/.serving tools/build.mjs openapi.yaml $(SOURCES)
	@node tools/build.mjs
	@touch $@
