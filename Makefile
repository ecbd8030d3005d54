# Every target sets itself up: a clone, python3 (>= 3.11) and make are enough.
#   make demo    the oracle on all scenarios, no key, no network
#   make test    the tests            (RUN_SLOW=1, RUN_LOCAL_MODEL=1 for the rest; ARGS="-k world" is passed on; PARALLEL= for one process)
#   make check   format, lint, types, Inspect's conventions, tests: what CI runs
#   make bench   the benchmarks
#   make lock    resolve requirements.lock anew   (LOCK_ARGS=--upgrade to move every pin)
#   make clean   forget everything that was made

.DEFAULT_GOAL := check
.PHONY: demo test check bench lock clean moved
.DELETE_ON_ERROR:
SHELL := /bin/sh

BIN := .venv/bin
CODE := $(wildcard skillbench_tasks tests benchmarks examples)
UV := 0.13.9
ARGS ?=
PARALLEL ?= -n auto --dist loadgroup
LOCK_ARGS ?=

# PYTHON=... chooses an interpreter; otherwise the first of these that is new enough and can make a venv.
PYTHONS := $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11)
FIND_PYTHON = for p in $(PYTHONS); do \
	"$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
		&& { python=$$p; break; }; done; \
	[ -n "$$python" ] || { echo "error: no Python >= 3.11 with venv among: $(PYTHONS) \
	(install one, or name it: make PYTHON=/path/to/python3)" >&2; exit 1; }

demo: .venv/installed
	@$(BIN)/skillbench demo

test: .venv/installed
	$(BIN)/pytest $(PARALLEL) $(ARGS)

check: .venv/installed
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy --strict $(CODE)
	$(BIN)/inspect-evals-lint skillbench_tasks
	$(BIN)/pytest $(PARALLEL) $(ARGS)

bench: .venv/installed
	$(BIN)/python -m benchmarks $(ARGS)

# Virtual environments hold absolute paths, so one that was copied or moved here is made anew.
ifneq ($(shell cat .venv/locked 2>/dev/null),$(CURDIR))
.venv/locked: moved
endif

.venv/locked: requirements.lock
	@python=; $(FIND_PYTHON); echo "setting up .venv with $$($$python --version)"; $$python -m venv --clear .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements.lock
	@echo '$(CURDIR)' > $@

.venv/installed: .venv/locked pyproject.toml
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pip check || { echo "error: requirements.lock does not fit pyproject.toml: make lock" >&2; exit 1; }
	@touch $@

# The lock names no index: hashes say what a package is, the machine's pip says where it comes from.
lock:
	@python=; $(FIND_PYTHON); [ -x .venv-lock/bin/uv ] || $$python -m venv --clear .venv-lock
	@.venv-lock/bin/python -m pip install -qq --disable-pip-version-check uv==$(UV)
	.venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-annotate --custom-compile-command "make lock" \
		--group dev $(LOCK_ARGS) pyproject.toml --output-file requirements.lock
	@! grep -n '://' requirements.lock || { echo "error: requirements.lock names a host" >&2; exit 1; }

clean:
	rm -rf .venv .venv-lock build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +
