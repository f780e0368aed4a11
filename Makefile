# The two commands: `make demo` and `make test`. Each sets up .venv by itself, and only what is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
SETUP := pyproject.toml constraints.txt $(wildcard src/macrof1/counting/kernel/*.pyx src/macrof1/counting/kernel/*.h)

LINTERS := import-linter mypy ruff

.PHONY: demo test fuzz mutants lint bench docs linkcheck dist site clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "macrof1 needs Python 3.11 or newer; name one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Creating $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)

# A stamp per set of parts: remade when the project's needs change, silent when nothing is missing. Each installs
# everything that it needs in one go, because each installation builds the compiled counting path anew.
$(VENV)/.base: $(SETUP) | $(BIN)/python
	@echo "Installing macrof1 into $(VENV)"
	@$(PIP) --editable '.[charts,web]'
	@touch $@

$(VENV)/.test: $(SETUP) | $(BIN)/python
	@echo "Installing macrof1 and what its tests need into $(VENV)"
	@$(PIP) --editable '.[test]'
	@touch $(VENV)/.base $@

# Python for the browser, from the npm package pyodide: for the static explorer and its tests.
PYODIDE := build/pyodide/node_modules/pyodide

$(PYODIDE)/pyodide.asm.wasm:
	@command -v npm >/dev/null || { echo "The static explorer needs npm, which fetches the package pyodide" >&2; exit 1; }
	@mkdir -p build/pyodide
	@npm install --silent --no-save --no-package-lock --prefix build/pyodide pyodide@314.0.7 >/dev/null

# The large parts: Spark, torch, evaluation tools and a browser. Only asked for by MACROF1_REQUIRE_ALL=1. Spark also needs Java.
$(VENV)/.parts: $(SETUP) | $(BIN)/python $(PYODIDE)/pyodide.asm.wasm
	@command -v java >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } || \
	  { echo "Spark's tests need Java 17: install a runtime and put java on the PATH" >&2; exit 1; }
	@echo "Installing macrof1, what its tests need, and the large parts (Spark, torch, lm-eval, Inspect, Playwright) into $(VENV)"
	@$(PIP) --editable '.[test,parts]'
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation >/dev/null; } || \
	  { echo "The explorer's tests need Chromium: install it, so that the command chromium is found" >&2; exit 1; }
	@touch $(VENV)/.base $(VENV)/.test $@

$(VENV)/.bench: $(SETUP) | $(BIN)/python
	@echo "Installing macrof1 and the peers that it is compared with into $(VENV)"
	@$(PIP) --editable '.[bench]'
	@touch $(VENV)/.base $(VENV)/.test $(VENV)/.parts $@

$(VENV)/.lint: $(VENV)/.test
	@echo "Installing the linters into $(VENV)"
	@$(PIP) $(LINTERS)
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/python examples/demo.py

# Options for pytest: make test ARGS="-k gap"
test: $(if $(filter 1,$(MACROF1_REQUIRE_ALL)),$(VENV)/.parts,$(VENV)/.test)
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadgroup --quiet \
	  $(if $(filter 1,$(MACROF1_REQUIRE_ALL)),,-m "not slow") $(ARGS)

# Random cases of every kind against exact oracles: make fuzz SECONDS=600 SEED=7
SECONDS ?= 60
SEED ?= 0
fuzz: $(VENV)/.test
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED)

# A sample of small changes to the rooms that decide a number, and whether a test notices: make mutants N=40 SEED=0
N ?= 40
mutants: $(VENV)/.test
	@$(PIP) cosmic-ray coverage
	@$(BIN)/python scripts/mutants.py -n $(N) --seed $(SEED)

lint: $(VENV)/.lint
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

# Peers side by side, in one run: writes docs/benchmarks.md. Takes some minutes on a quiet machine.
bench: $(VENV)/.bench
	@$(BIN)/python benchmarks/bench.py

$(VENV)/.docs: $(VENV)/.test
	@echo "Installing what builds the documentation into $(VENV)"
	@$(PIP) --editable '.[docs,test]'
	@touch $@

# The site, offline: a warning or a broken link is an error. With npm, the explorer is part of it, at explorer/.
docs: $(VENV)/.docs $(if $(shell command -v npm),$(PYODIDE)/pyodide.asm.wasm)
	@test ! -d $(PYODIDE) || $(BIN)/mf1 explore --export build/pages/explorer --pyodide $(PYODIDE) --docs ../index.html >/dev/null
	@$(BIN)/python -m sphinx -E -W --keep-going -q -b html docs docs/_build/html
	@$(BIN)/python scripts/check_site.py
	@echo "docs/_build/html/index.html"

# Whether the addresses outside still answer; needs the internet.
linkcheck: $(VENV)/.docs
	@$(BIN)/python -m sphinx -q -b linkcheck docs docs/_build/linkcheck

# The sdist and the wheel, checked and installed into empty environments.
dist: | $(BIN)/python
	@$(BIN)/python scripts/check_dist.py

# The explorer as static files in site/.
site: $(VENV)/.test $(PYODIDE)/pyodide.asm.wasm
	@$(BIN)/mf1 explore --export site --pyodide $(PYODIDE)

clean:
	@rm -rf $(VENV) build dist site docs/_build src/*.egg-info
