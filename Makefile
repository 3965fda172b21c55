# make demo   reconstruct the bundled scan        make test   everything that must hold, lint included
# make run    the command line (ARGS="...")       make bench  measurements, as JSON
BIN := .venv/bin
OUTPUT := output

.PHONY: demo test lint unit bench run clean

demo: .venv/.installed
	@mkdir -p $(OUTPUT)
	@$(BIN)/napari-pogmdm compare demo --png $(OUTPUT)/demo.png

test: lint unit

lint: .venv/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/npe2 validate napari-pogmdm

unit: .venv/.installed
	$(BIN)/python -m pytest

bench: .venv/.installed
	$(BIN)/python benchmarks/operators.py
	$(BIN)/python benchmarks/score.py
	$(BIN)/python benchmarks/sampler.py

run: .venv/.installed
	@$(BIN)/napari-pogmdm $(ARGS)

.venv/.installed: pyproject.toml constraints.txt tools/setup.sh tools/debian-packages.txt
	@echo "Setting up .venv (a few minutes the first time) ..."
	@./tools/setup.sh

clean:
	rm -rf .venv $(OUTPUT)
