# make demo   the bundled scan, then the window   make test   everything that must hold, lint included
# make run    the command line (ARGS="...")       make bench  measurements, as JSON
# make fuzz   damaged files by the thousand         make faults  full disks, kills, lack of memory
# make coverage   the tests again, and which lines they never reach
# make test-fast  lint and the quick tests, in three minutes   make docs  the documentation site
# make wheel-test the package, installed and used in environments of its own
BIN := .venv/bin
OUTPUT := output

.PHONY: demo test test-fast lint unit window docs wheel-test coverage bench fuzz faults screenshots run clean

demo: .venv/.installed
	@mkdir -p $(OUTPUT)
	@$(BIN)/napari-pogmdm compare demo --png $(OUTPUT)/demo.png
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname -s)" != Linux ]; then \
	    $(BIN)/napari-pogmdm window demo; \
	else \
	    ./tools/with_display.sh $(BIN)/napari-pogmdm window demo --run --screenshot $(OUTPUT)/window.png; \
	fi

test: lint unit window

test-fast: lint
	$(BIN)/python -m pytest --ignore=tests/gui -m "not slow"

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/npe2 validate napari-pogmdm

unit: .venv/.installed
	$(BIN)/python -m pytest --ignore=tests/gui

window: .venv/.installed
	./tools/with_display.sh $(BIN)/python -m pytest tests/gui

coverage: .venv/.installed
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --ignore=tests/gui
	./tools/with_display.sh $(BIN)/coverage run -m pytest tests/gui
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: .venv/.installed
	$(BIN)/python benchmarks/operators.py
	$(BIN)/python benchmarks/score.py
	$(BIN)/python benchmarks/sampler.py
	$(BIN)/python benchmarks/denoise_dock.py
	for name in window views mask_drawing inspector recordings; do ./tools/with_display.sh $(BIN)/python benchmarks/$$name.py; done

docs: .venv/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "$(CURDIR)/$(OUTPUT)/site/index.html"

.venv/.docs: .venv/.installed
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	@touch $@

wheel-test: .venv/.installed
	./tools/wheel_test.sh

fuzz: .venv/.installed
	$(BIN)/python tools/fuzz.py

faults: .venv/.installed
	$(BIN)/python tools/faults.py

screenshots: .venv/.installed
	NAPARI_CONFIG= ./tools/with_display.sh $(BIN)/python tools/screenshots.py $(SCENES)

run: .venv/.installed
	@$(BIN)/napari-pogmdm $(ARGS)

.venv/.installed: pyproject.toml constraints.txt tools/setup.sh tools/debian-packages.txt
	@echo "Setting up .venv (a few minutes the first time) ..."
	@./tools/setup.sh

clean:
	rm -rf .venv $(OUTPUT)
