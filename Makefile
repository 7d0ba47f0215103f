# Everything a newcomer types. Each target sets up what it needs, once: a second run starts at once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# How many tests run at once: one more than there are cores, since some wait. JOBS=0 runs them one by one, in this process.
JOBS ?= 3
# Whether exactly the versions and files of requirements-dev.lock are installed: make LOCKED=1 test. CI does so.
LOCKED ?=
# Anything for the command itself: make up ARGS="--port 7443", make test ARGS="-k watch -x"
ARGS ?=
# The kubeconfig of the server that a plane is compared with: make PEER=~/.kube/config differential
PEER ?=

# What starts hundreds of times in a test run is compiled once, also where a machine says otherwise.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help up test properties coverage mutants newest check format conformance differential bench stalls faults rollouts growth soak guides dist lock kubectl clean venv dev etcd

help: ## Show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

up: venv ## Start a control plane here; Ctrl-C ends it
	@$(MAKE) --no-print-directory -s etcd || echo "No etcd could be installed; going on without it." >&2
	@$(BIN)/kctl up $(ARGS)

test: dev etcd kubectl ## Run the tests
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

properties: dev ## Run the properties with examples that no run before had; make test has the same ones each time
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m hypothesis --hypothesis-profile other tests/unit $(ARGS)

coverage: dev etcd kubectl ## Run the tests, also in the processes that they start, and see what they never reach
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -n $(JOBS) --dist worksteal $(ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

mutants: dev etcd ## Forget each flag in turn, and see whether its tests notice (ARGS="drain 'create secret'")
	@$(BIN)/python -m tests.mutants $(ARGS)

# In an environment of its own. NEWEST=/path/to/python names another.
newest: etcd ## Run a short form of the tests with the newest Python of this machine
	@newest="$(NEWEST)"; \
	for minor in 20 19 18 17 16 15 14 13 12; do \
	    for program in python3.$$minor $(HOME)/.pyenv/versions/3.$$minor.*/bin/python; do \
	        [ -n "$$newest" ] || newest=$$($$program -c 'import sys; print(sys.executable)' 2>/dev/null); done; done; \
	if [ -z "$$newest" ]; then echo "There is no newer Python here than $$($(PYTHON) -V): nothing is tried with one."; exit; fi; \
	$(MAKE) --no-print-directory dev PYTHON="$$newest" VENV=.venv-newest && .venv-newest/bin/python -V && \
	.venv-newest/bin/python -m pytest -n $(JOBS) --dist worksteal tests/unit tests/architecture tests/integration/api \
	    tests/integration/plane tests/e2e/up/test_round_trip.py tests/e2e/kctl/test_get.py $(ARGS)

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

differential: dev ## Ask a real server and a plane of ours the same, and see where they differ (PEER=kubeconfig)
	@[ -n "$(PEER)" ] || case "$(ARGS)" in *--commands*) ;; *) echo 'Name the other server: make differential PEER=/path/to/kubeconfig' >&2; exit 2;; esac
	@$(BIN)/python -m tests.differential $(if $(PEER),--peer "$(PEER)") $(ARGS)

bench: dev etcd ## Measure; one at a time, so that the figures mean something
	@$(BIN)/python -m tests.bench.storage $(ARGS)
	@$(BIN)/python -m tests.bench.http $(ARGS)
	@$(BIN)/python -m tests.bench.cluster $(ARGS)
	@$(BIN)/python -m tests.bench.up $(ARGS)
	@$(BIN)/python -m tests.bench.cli $(ARGS)
	@$(BIN)/python -m tests.bench.scheduling $(ARGS)
	@$(BIN)/python -m tests.bench.life $(ARGS)
	@$(BIN)/python -m tests.bench.isolation $(ARGS)

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

guides: dev kubectl ## Make again the pictures of README and the entries of the references
	@$(BIN)/python -m tests.e2e.guides $(ARGS)
	@[ -n "$(ARGS)" ] || $(BIN)/python -m tests.e2e.ui

dist: dev ## Build the wheel and the source archive into dist/, and check them
	@rm -rf dist
	@$(BIN)/python -m hatchling build
	@$(BIN)/twine check --strict dist/*

lock: dev ## Choose the versions of requirements-dev.lock anew (for every Python and platform that we know)
	@$(BIN)/pip install --quiet --disable-pip-version-check "uv>=0.8"
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --upgrade --group dev pyproject.toml \
	    --custom-compile-command "make lock" --output-file requirements-dev.lock

kubectl: dev ## Get a kubectl for the tests, if none is on PATH
	@command -v kubectl >/dev/null || test -x .tools/kubectl || $(BIN)/python tests/e2e/fetch_kubectl.py .tools/kubectl

clean: ## Remove what these targets made, but not the etcd in your cache
	rm -rf $(VENV) .venv-newest .coverage .tools .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
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
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

$(VENV)/.installed: pyproject.toml requirements-dev.lock | $(VENV)/.created
ifneq ($(LOCKED),)
	$(PIP) --require-hashes --requirement requirements-dev.lock
	$(PIP) --no-deps --no-build-isolation --editable .
else
	$(PIP) --editable .
endif
	@touch $@

# The development tools are a dependency group, because they are no business of whoever installs kctl; pip reads
# groups since 25.1, and Python 3.11 brings an older one.
$(VENV)/.installed-dev: pyproject.toml requirements-dev.lock | $(VENV)/.installed
ifeq ($(LOCKED),)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --group dev
endif
	@touch $@
