# Every target works on a machine that has python3, make and gcc: the first makes .venv, the others use it.
#
#   make demo     the worked example          make lint     format, style and types
#   make test     tests and doctests          make bench    every benchmark
#   make test-all what make test leaves out: all rules, random and whole programs, long chains, mode numpy
#   make clean    remove what was made        make seed-report    the rows of the specification that pass
#   make docs     docs/reference and the stubs of types, from the code
#   make site     guides and reference as pages with search, in build/site
#   make types    pyright, strict, on the code of the guides
#   make campaign random programs for half an hour, with a report (docs/campaign.md); no part of make test
#   make gpu      what only a GPU can show: tests on it, those of C programs with target=cuda, benchmarks/cuda.py
#   make conformance SUITE=pytensor TESTS=checkout  the tests of another library through eqsat, against those that are known to fail
#   make test ARGS="-k softmax -x" passes arguments to pytest

PYTHON ?= python3
ARGS ?=
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: demo test test-all seed-report lint docs site types bench campaign gpu conformance clean

demo: $(STAMP)
	$(BIN)/python examples/digits.py $(ARGS)

test: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not sweep" $(ARGS)

test-all: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m sweep tests $(ARGS)

seed-report: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist worksteal -q --seed-report tests $(ARGS)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy eqsat campaign conformance

docs: $(STAMP)
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_stubs.py

site: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python docs/make_site.py

types: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[types]'
	$(BIN)/python docs/check_types.py

bench: $(STAMP)
	@set -e; for file in benchmarks/*.py; do \
	    [ -e "$$file" ] || { echo "no benchmarks"; break; }; \
	    echo "== $$file"; $(BIN)/python "$$file" $(ARGS); \
	done

campaign: $(STAMP)
	$(BIN)/python -m campaign --report campaign-report.md $(ARGS)

gpu: $(STAMP)
	$(BIN)/python -m pytest -q tests/cuda/test_on_a_gpu.py $(ARGS)
	EQSAT_FLAGS=target=cuda,cuda_device=0 PYTHONPATH=tests/cuda $(BIN)/python -m pytest -p on_device -n 4 -q -m "not sweep" tests/cgen tests/scan $(ARGS)
	$(BIN)/python benchmarks/cuda.py

conformance:
	@test -n "$(SUITE)" -a -n "$(TESTS)" || { echo "make conformance SUITE=pytensor TESTS=folder of its sources"; exit 2; }
	$(or $(CONFORMANCE_PYTHON),$(BIN)/python) -m conformance $(SUITE) $(TESTS) $(ARGS)

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,demo]'
	$(BIN)/python -m compileall -q eqsat  # also where the environment forbids Python to do so on import
	@touch $@

clean:
	rm -rf .venv build demo-output campaign-report.md campaign-report.json eqsat.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis benchmarks/results
	find eqsat tests -name __pycache__ -type d -prune -exec rm -rf {} +
