# Everything a newcomer or CI needs. Only Python 3.11+, make and a package registry are assumed.
VENV   ?= .venv
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN    := $(VENV)/bin
CHAT   := examples/chat/model.py:Chat
SERVER := $(BIN)/python examples/chat/server.py

unexport PYTHONDONTWRITEBYTECODE  # hundreds of processes of the tests would each compile the package anew

.PHONY: help install play test test-long promises check bench docs pins clean

help:
	@echo "make play       play the chat example against its server and find the seeded bug"
	@echo "make test       lint, types, doctests, documentation examples and all tests"
	@echo "make test-long  the checks that take minutes"
	@echo "make promises   try all that is promised, and write docs/promises.md"
	@echo "make bench      measure, and write benchmarks/RESULTS.md"
	@echo "make docs       build the documentation into docs/_build"

install: $(VENV)/.installed

$(VENV)/.installed: constraints.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "outplay needs Python 3.11 or newer: install it, or call make PYTHON=/path/to/python"; exit 1; }
	@echo "installing into $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r constraints.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

play: install
	@echo; echo "1. The right server: every delivery order is fine."
	$(BIN)/outplay run $(CHAT) --sut "exec:$(SERVER) --greet" --ready ready --plays 5
	@echo; echo "2. The wrong server: a message may overtake another, but only if it is posted at the wrong moment."
	$(BIN)/outplay run $(CHAT) --sut "exec:$(SERVER) --greet --bug" --ready ready; test $$? -eq 1
	@echo; echo "The bug is found. Look at .outplay/last/report.html, or play it again with the replay command above"
	@echo "(outplay is in $(BIN))."

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: install
	@$(MAKE) --no-print-directory -j 2 check docs
	$(BIN)/python -m pytest -n 4 --dist loadgroup -m "not long"  # for two cores: many tests wait for a system

test-long: install
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m long

promises: install
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m promise --promises docs/promises.md tests

bench: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "stormpy>=2.0" "aalpy>=1.5" "hypothesis>=6.100" || echo "no stormpy, aalpy or hypothesis here: they are left out"
	$(BIN)/python -m benchmarks.help
	$(BIN)/python -m benchmarks.workers
	$(BIN)/python -m benchmarks.live_rate
	$(BIN)/python -m benchmarks.real_servers
	$(BIN)/python -m benchmarks.explore
	$(BIN)/python -m benchmarks.win
	$(BIN)/python -m benchmarks.bounded
	$(BIN)/python -m benchmarks.expected
	$(BIN)/python -m benchmarks.joker
	$(BIN)/python -m benchmarks.forecast
	$(BIN)/python -m benchmarks.conformance
	$(BIN)/python -m benchmarks.one_test
	$(BIN)/python -m benchmarks.faults_suites
	$(BIN)/python -m benchmarks.suite_order
	$(BIN)/python -m benchmarks.faults --set counted --page
	$(BIN)/python -m benchmarks.faults.as_good_as_all
	$(BIN)/python -m benchmarks.default_run --page
	$(BIN)/python -m benchmarks.decisions --page
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python -m benchmarks.tours
	$(BIN)/python -m benchmarks.symbolic
	$(BIN)/python -m benchmarks.load
	$(BIN)/python -m benchmarks.histories
	$(BIN)/python -m benchmarks.http_calls
	$(BIN)/python -m benchmarks.recognition_tours
	$(BIN)/python -m benchmarks.studio

docs: install
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

pins: install
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-annotate --no-header --no-emit-index-url --no-emit-find-links -q -o constraints.txt

clean:
	rm -rf $(VENV) docs/_build .outplay .mypy_cache .ruff_cache .pytest_cache
