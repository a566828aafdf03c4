# Everything here needs only make, python3 >= 3.11 and a C compiler (where there is none, PyPI's ziglang is taken);
# each target builds what it uses in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
export PYTHONUTF8 := 1

.PHONY: help report test run-tests test-all lint bench docs papers package minimal sanitize clean

help:
	@echo "make report    install, train a few models on bundled data, print the verdicts, write report.html"
	@echo "make test      install and run formatter, linter, types, import contract, tests and doctests"
	@echo "make test-all  the same with every slow statistical and published-table test"
	@echo "make bench     measure speed against peers"
	@echo "make docs      build the documentation into docs/_build/html"
	@echo "make papers    run the five papers whole (resumed where it stopped) and write docs/papers from them"
	@echo "make package   build wheel and sdist, install the wheel in an empty environment, try it out"
	@echo "make sanitize  run the kernels' tests with every index checked, under AddressSanitizer and UBSan"
	@echo "make minimal   run a part of the tests with the lowest versions that pyproject.toml allows"

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"expected python3 >= 3.11; got {v[0]}.{v[1]}. Hint: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# An editable install rebuilds what changed when it is imported, so the build's tools stay in the environment.
$(VENV)/.build: $(VENV)/.made pyproject.toml
	$(PIP) 'meson-python>=0.18' 'meson>=1.5' ninja 'cython>=3.2' 'numpy>=2.1'
	@$(BIN)/python tools/compiler.py > $(VENV)/compiler
	@touch $@

INSTALL = CC="$${CC:-$$(cat $(VENV)/compiler)}"; [ -n "$$CC" ] && export CC || unset CC; \
	PATH="$(abspath $(BIN)):$$PATH" $(PIP) --no-build-isolation --editable

$(VENV)/.run: $(VENV)/.build meson.build
	$(INSTALL) .
	@touch $@

$(VENV)/.test: $(VENV)/.build meson.build
	$(INSTALL) '.[test]'
	@touch $(VENV)/.run $@

$(VENV)/.bench: $(VENV)/.run
	$(INSTALL) '.[bench]'
	@touch $@

$(VENV)/.docs: $(VENV)/.run
	$(INSTALL) '.[docs]'
	@touch $@

report: $(VENV)/.run
	$(BIN)/python examples/write_predictions.py build/predictions.csv
	$(BIN)/fivefold report build/predictions.csv --target truth \
	    --prediction majority --prediction tree --prediction bayes --prediction boosting --prediction cautious \
	    --probability-prefix '{}:' --html report.html

lint: $(VENV)/.test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python tools/lint_imports.py --no-logo

# linters run beside the tests: together they are done a minute sooner
test: $(VENV)/.test
	@$(MAKE) --no-print-directory --jobs=2 lint run-tests

# An editable install reads byte code and never writes any: without this, each of a hundred processes that tests start
# would compile the package again. One test process for each core, for each of them collects all tests first.
run-tests: $(VENV)/.test
	$(BIN)/python -m compileall -q src
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile

test-all: lint
	$(BIN)/python -m compileall -q src
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest --numprocesses auto --dist loadfile --all

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

papers: $(VENV)/.run
	$(BIN)/python tools/write_paper_docs.py build/papers --run

package: $(VENV)/.made
	$(BIN)/python tools/check_package.py

sanitize: $(VENV)/.test
	$(BIN)/python tools/sanitize.py

minimal: $(VENV)/.made
	$(BIN)/python tools/minimal_versions.py

clean:
	rm -rf $(VENV) build dist docs/_build report.html
