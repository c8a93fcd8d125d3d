# SPDX-License-Identifier: Apache-2.0
# The doors of the house. Every target sets up what it needs first; nothing has to be installed by hand.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup configure build demo demo-spark docs test neighbours ledger-faults theorems audit bench bench-peers planner planner-data sanitize sanitize-threads fuzz lint format clean

# One compiler per core, but leave each about 1.5 GB of memory.
JOBS ?= $(shell awk -v cores="$$(nproc)" '/MemAvailable/ {m = int($$2 / 1500000)} \
	END {print m < 1 ? 1 : m < cores ? m : cores}' /proc/meminfo)
PYTHON := .venv/bin/python
CHECKS := layers proofs sizes words format

help:  ## print this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 16

setup:  ## install what is missing: Debian packages, .venv (RETRY=1: try again what failed before)
	@tools/setup.sh $(if $(RETRY),--retry)

configure: setup
	@mkdir -p build
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }

build: configure  ## compile the program: build/dperm
	@cmake --build build/release --parallel $(JOBS) --target cli/all
	@ln -sfn release/cli/dperm build/dperm

demo: build  ## learn a private model from the bundled health data and show its report
	@examples/health/demo.sh build/dperm build/demo

demo-spark: configure  ## the same on Apache Spark: a cluster of processes on this machine (needs Java)
	@cmake --build build/release --parallel $(JOBS) --target dperm_python --target dperm
	@$(PYTHON) -B tests/python/install_wheel.py . build/release build/release/python/environment
	@build/release/python/environment/bin/python -B examples/spark/demo.py examples/health

docs: build  ## build the documentation site: build/site/index.html, which needs no server
	@$(PYTHON) -B tools/site/build.py build/dperm build/site

test: configure  ## compile everything, each header alone too, and run all tests
	@cmake --build build/release --parallel $(JOBS)
	@cmake --build build/release --parallel $(JOBS) --target all_verify_interface_header_sets
	@ln -sfn release/cli/dperm build/dperm
	@ctest --preset release --parallel $(JOBS)
	@echo "make test: every header compiles alone and all tests passed"

neighbours: configure  ## tables that differ in one record, over every container and front end, at random (MINUTES=60 each of two harnesses)
	@cmake --build build/release --parallel $(JOBS) --target dperm --target dperm_python --target neighbour_codes --target frozen
	@$(PYTHON) -B tests/python/install_wheel.py . build/release build/release/python/environment
	@NEIGHBOUR_CODES=$(CURDIR)/build/release/tests/neighbours/libneighbour_codes.so OMP_NUM_THREADS=1 POLARS_MAX_THREADS=1 \
		build/release/python/environment/bin/python -B tests/neighbours/neighbours.py --minutes $(or $(MINUTES),60) --seed $(or $(SEED),1)
	@DPERM_PROGRAM=$(CURDIR)/build/release/cli/dperm DPERM_FROZEN=$(CURDIR)/build/release/tests/noninterference/libfrozen.so \
		DPERM_PYTHON=$(CURDIR)/build/release/python/environment/bin/python \
		$(PYTHON) -B tests/noninterference/hours.py --minutes $(or $(MINUTES),60) --seed $(or $(SEED),1)

ledger-faults: configure  ## thousands of crashes and failed system calls for ledger, models and tiles (TRIALS=10000 MINUTES=30)
	@cmake --build build/release --parallel $(JOBS) --target dperm --target ledger_faults --target ledger_worker
	@DPERM_PROGRAM=$(CURDIR)/build/release/cli/dperm LEDGER_WORKER=$(CURDIR)/build/release/tests/ledger/ledger_worker \
		LEDGER_FAULTS=$(CURDIR)/build/release/tests/ledger/libledger_faults.so \
		DPERM_LEDGER_TRIALS=$(or $(TRIALS),10000) DPERM_LEDGER_MINUTES=$(or $(MINUTES),30) \
		sh -c '$(PYTHON) -B tests/ledger/faults_test.py && $(PYTHON) -B tests/ledger/outputs_test.py'

theorems: configure  ## measure every utility theorem and draw the pictures of docs/theorems
	@cmake --build build/release --parallel $(JOBS) --target theorems_test
	@mkdir -p build/theorems
	@DPERM_THEOREMS=build/theorems build/release/tests/theorems/theorems_test --gtest_brief=1
	@$(PYTHON) tools/draw_theorems.py build/theorems docs/theorems

audit: configure  ## attack every method at three epsilons, and every broken variant (minutes); results in build/audit
	@cmake --build build/release --parallel $(JOBS) --target dperm
	@mkdir -p build/audit
	@for epsilon in 0.5 1 4; do build/release/cli/dperm audit --epsilon $$epsilon --pictures build/audit/$$epsilon \
	  | tee build/audit/$$epsilon.txt; done
	@build/release/cli/dperm audit --control all | tee build/audit/controls.txt
	@build/release/cli/dperm audit --one-run --epsilon 8 | tee build/audit/one_run.txt
	@DPERM_AUDIT=full DPERM_PROGRAM=$(CURDIR)/build/release/cli/dperm $(PYTHON) -B tests/real_data/attacks_test.py

planner:  ## the planner page: build/site/planner/index.html
	@mkdir -p build/site/planner/grid
	@cp web/planner/*.html web/planner/*.js web/planner/*.css build/site/planner/
	@cp web/planner/grid/*.js build/site/planner/grid/
	@echo "make planner: open build/site/planner/index.html"

planner-data: configure  ## ask the library again for the planner page's answers (minutes)
	@cmake --build build/release --parallel $(JOBS) --target planner_grid
	@build/release/web/planner/planner_grid web/planner/grid

bench: setup  ## compile and run the benchmarks; results in build/bench (ACCURACY="--only adult --seeds 3" for a part)
	@mkdir -p build/bench
	@cmake --preset bench >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/release --parallel $(JOBS) --target bench/all --target cli/all --target dperm_python
	@build/release/bench/gradient_pass >build/bench/gradient_pass.json
	@$(PYTHON) bench/compare_pass.py build/release/bench/gradient_pass | tee build/bench/compare_pass.txt
	@build/release/bench/clipped_pass >build/bench/clipped_pass.json
	@DPERM_BUILD=build/release DPERM_RESULTS=build/bench $(PYTHON) bench/reading.py
	@build/release/bench/noise | tee build/bench/noise.json
	@build/release/bench/accountants | tee build/bench/accountants.json
	@$(PYTHON) bench/planning.py build/release/cli/dperm build/bench | tee build/bench/planning.txt
	@[ ! -x build/release/bench/network_step ] || build/release/bench/network_step >build/bench/network_step.json
	@$(PYTHON) bench/scaling.py build/release/cli/dperm build/bench | tee build/bench/scaling.txt
	@$(PYTHON) tests/python/install_wheel.py . build/release build/release/python/environment
	@build/release/python/environment/bin/python bench/python_overhead.py | tee build/bench/python_overhead.txt
	@$(PYTHON) bench/accuracy/adassp.py build/release/cli/dperm build/bench | tee build/bench/adassp.txt
	@$(PYTHON) bench/accuracy/unseen.py build/release/cli/dperm build/bench | tee build/bench/unseen.txt
	@$(PYTHON) bench/accuracy/run.py build/release/cli/dperm build/bench $(ACCURACY)

bench-peers: setup  ## compare accountants and accuracy with peers, in a virtual environment of their own (PEERS="--only adult --seeds 2")
	@mkdir -p build/bench
	@[ -x build/peers/bin/python ] || python3 -m venv build/peers
	@build/peers/bin/pip install -q dp-accounting prv-accountant diffprivlib interpret-core pandas 'pyarrow==26.0.*' scipy 'scikit-learn<1.7'
	@cmake --preset bench >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/release --parallel $(JOBS) --target accountants --target cli/all --target dperm_python
	@build/peers/bin/python bench/accountants.py build/release/bench/accountants | tee build/bench/accountants.txt
	@$(PYTHON) tests/python/install_wheel.py . build/release build/release/python/environment
	@build/peers/bin/pip install -q --no-deps --force-reinstall build/release/python/environment/wheels/dperm-*.whl
	@build/peers/bin/python bench/accuracy/peers_time.py build/bench | tee build/bench/peers_time.txt
	@build/peers/bin/python bench/accuracy/peers.py build/release/cli/dperm build/bench $(PEERS)

sanitize: setup  ## compile with the address and undefined-behaviour sanitizers and run all tests
	@mkdir -p build
	@cmake --preset dev >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/dev --parallel $(JOBS)
	@ctest --preset dev --parallel $(JOBS)

sanitize-threads: setup  ## compile with the thread sanitizer and run the tests that use threads
	@mkdir -p build
	@cmake --preset threads >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/threads --parallel $(JOBS) --target core_test --target data_test --target engine_test --target audit_test
	@for room in core data engine audit; do \
	  ARROW_DEFAULT_MEMORY_POOL=system TSAN_OPTIONS="suppressions=$(CURDIR)/fuzz/threads.supp" build/threads/dperm/$$room/$${room}_test --gtest_brief=1 || exit 1; done

fuzz: setup  ## fuzz every reader under clang and the sanitizers (a minute in all; SECONDS_EACH=60, HOURS=2 of processor time, KEEP=1)
	@mkdir -p build
	@cmake --preset fuzz >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build build/fuzz --parallel $(JOBS) --target fuzz/all
	@nice $(PYTHON) -B tools/fuzz.py build/fuzz $(if $(SECONDS_EACH),--seconds $(SECONDS_EACH)) --processor-hours $(or $(HOURS),0) --jobs $(JOBS) $(if $(KEEP),--keep)

lint: setup  ## check format, layers, proofs, sizes and words without compiling
	@status=0; for check in $(CHECKS); do $(PYTHON) tools/check_$$check.py . || status=1; done; exit $$status

format: setup  ## put every C++ file into the house format
	@$(PYTHON) tools/check_format.py . --fix

clean:  ## remove everything that was built (not .venv)
	@rm -rf build/release build/dev build/threads build/fuzz build/bench build/demo build/site build/site-source build/site-source-trees build/wheel-* build/dperm
