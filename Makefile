# `make run` and `make test` do everything on a bare machine; `make help` lists the rest.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# A folder of wheels (a CPU build of torch, say) that pip knows through PIP_FIND_LINKS.
WHEELS := $(wildcard $(PIP_FIND_LINKS))
# The tests start hundreds of Pythons: what one has compiled the next need not compile again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup run results test test-slow test-faults test-real test-kernels test-package release-check triton lint format types golden docs docs-serve images clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## make .venv with everything in it

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet uv==0.13.7
	@$(if $(WHEELS),UV_FIND_LINKS="$(WHEELS)") $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

run: setup ## build a small benchmark, train, translate, score, report
	@sh examples/quickstart/run.sh $(BIN)/recombine

test: setup lint types ## the tests, with linters and types before them
	@$(BIN)/python -m pytest -m "not slow and not gpu and not real and not faults" -n 2 --dist worksteal -q

test-slow: setup ## the slow tests
	@$(BIN)/python -m pytest -m "slow and not gpu and not faults" -q

test-faults: setup ## kills, full disks, bad files, hostile services: a table of what was survived
	@$(BIN)/python -m pytest tests/faults -m faults -q $(FAULTS)

test-real: setup ## tests with translation systems that are not ours
	@$(BIN)/python -m pytest -m real -q

test-kernels: triton ## the GPU kernels without a GPU, in the interpreter of Triton
	@PYTHONPATH=$(VENV)/triton $(BIN)/python -m pytest tests/systems/seq2seq/fast/test_kernels.py -k interpreted -q

test-package: setup ## wheel and sdist, installed into a bare environment and used there
	@sh .ci/package $(BIN)/uv

PYTHONS ?= python3.11 python3.12 python3.13
release-check: setup ## before a tag: every Python, newest and lowest dependencies, metadata, docs
	@sh .ci/release-check $(abspath $(BIN))/uv $(PYTHONS)

triton: setup ## Triton for test-kernels: a gigabyte, in a folder of its own
	@test -d $(VENV)/triton/triton || $(BIN)/uv pip install --quiet --target $(VENV)/triton triton==3.9.0

lint: setup ## ruff
	@$(BIN)/ruff check --quiet src tests benchmarks examples
	@$(BIN)/ruff format --check --quiet src tests benchmarks examples

format: setup ## let ruff rewrite
	@$(BIN)/ruff check --fix --quiet src tests benchmarks examples
	@$(BIN)/ruff format --quiet src tests benchmarks examples

types: setup ## mypy, strict on src
	@$(BIN)/mypy --no-error-summary

docs: setup ## the docs site, strict and without network, into out/docs
	@$(BIN)/python -m sphinx -b html -W --keep-going -q docs out/docs
	@echo "Open out/docs/index.html; make docs-serve has search with excerpts"

docs-serve: docs ## the docs site at http://localhost:8000
	@$(BIN)/python -m http.server 8000 --bind 127.0.0.1 --directory out/docs

results: setup ## write the tables of docs/results into their pages, from the raw files
	@$(BIN)/python docs/results/make.py

images: setup ## the pictures of the docs anew; screenshots of the run that `make run` leaves
	@$(BIN)/python docs/make_images.py $(wildcard runs/quickstart)

golden: setup ## write the golden files anew; review the diff
	@$(BIN)/python -m pytest -q --update-golden

clean: ## remove what was made
	rm -rf $(VENV) out runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
