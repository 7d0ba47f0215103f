# Everything a newcomer types. Each target sets up what it needs, once: a second run starts at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# How many tests run at once: make test JOBS=0 runs them one by one, in this process.
JOBS ?= 2
# Anything for the command itself: make up ARGS="--port 7443", make test ARGS="-k watch -x"
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help up test check format conformance bench stalls faults rollouts growth soak kubectl clean venv dev etcd

help: ## Show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: venv ## Start a control plane here; Ctrl-C ends it
	@$(MAKE) --no-print-directory -s etcd || echo "No etcd could be installed; going on without it." >&2
	@$(BIN)/kctl up $(ARGS)

test: dev etcd kubectl ## Run the tests
	@$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

check: dev ## Run the linters: ruff, mypy, import contracts
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: dev ## Put the code into its one form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

conformance: dev etcd kubectl ## Ask a plane what a real cluster was asked, where its recorded answers are at hand
	@$(BIN)/python -m tests.conformance $(ARGS)

bench: dev etcd ## Measure; one at a time, so that the figures mean something
	@$(BIN)/python -m tests.bench.storage $(ARGS)
	@$(BIN)/python -m tests.bench.http $(ARGS)
	@$(BIN)/python -m tests.bench.cluster $(ARGS)
	@$(BIN)/python -m tests.bench.up $(ARGS)
	@$(BIN)/python -m tests.bench.cli $(ARGS)
	@$(BIN)/python -m tests.bench.scheduling $(ARGS)
	@$(BIN)/python -m tests.bench.life $(ARGS)

stalls: dev ## See how long one request keeps the others waiting, with fifty thousand objects
	@$(BIN)/python -m tests.bench.stalls --at-most 50 $(ARGS)

faults: dev etcd ## Kill, stop and cut off everything, below HTTP and through it (ARGS="--through http --store sqlite")
	@$(BIN)/python -m tests.faults --kills 60 $(ARGS)

rollouts: dev etcd ## Kill a plane again and again while workloads roll out and jobs run
	@$(BIN)/python -m tests.faults.life $(ARGS)

soak: dev etcd ## Load a plane for minutes, and see what it still holds
	@$(BIN)/python -m tests.soak $(ARGS)

growth: dev ## Give everything that reads or writes larger inputs than the tests do, and see that its work grows with them
	@$(BIN)/python -m tests.growth --jobs $(JOBS) $(ARGS)

kubectl: dev ## Get a kubectl for the tests, if none is on PATH
	@command -v kubectl >/dev/null || test -x .tools/kubectl || $(BIN)/python tests/e2e/fetch_kubectl.py .tools/kubectl

clean: ## Remove what these targets made, but not the etcd in your cache
	rm -rf $(VENV) .tools .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- what the targets above stand on ---

venv: $(VENV)/.installed
dev: $(VENV)/.installed-dev

# Only when there is none that can be trusted: asking takes a tenth of a second.
etcd: venv
	@$(BIN)/kctl etcd path >/dev/null 2>&1 || $(BIN)/kctl etcd install

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "kctl needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo not here)." \
	        "Name another: make PYTHON=python3.12" >&2; \
	    exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

# Editable: the code that runs is the code that lies here. Only a change of pyproject.toml installs again.
$(VENV)/.installed: pyproject.toml | $(VENV)/.created
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# The development tools are a dependency group, because they are no business of whoever installs kctl; pip reads
# groups since 25.1, and Python 3.11 brings an older one.
$(VENV)/.installed-dev: pyproject.toml | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --disable-pip-version-check --group dev
	@touch $@
