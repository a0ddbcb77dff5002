# Each command sets up what it needs in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/.dev
BASE := $(VENV)/.base
# One process more than cores: who waits for a disk or for Neo4j leaves its core to another.
# In their order, which leaves quick ones for the end: by their number, a long one would be last.
PARALLEL := -n $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) --dist loadfile --no-loadscope-reorder

# Python keeps what it compiled: tests start many processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-thorough check soak bench ablation train-ranker train-heads format docs dist site neo4j clean

demo: $(BASE)  ## import a conversation, recall with reasons, resume a person, ask the graph
	$(BIN)/meridia demo

test: $(DEV)  ## the tests but those of `make check`, in parallel; Neo4j's need Docker, Java and Maven, or a named server
	$(BIN)/python -m pytest $(PARALLEL) --ignore=tests/tidy $(PATHS)

test-thorough: $(DEV)  ## all tests with those marked `thorough` and many examples; PATHS= narrows
	MERIDIA_THOROUGH=1 $(BIN)/python -m pytest $(PARALLEL) $(PATHS)

check: $(DEV)  ## format, lint, types, import order, generated docs, house rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m docs.reference --check
	$(BIN)/python -m docs.async_stub --check
	$(BIN)/python -m pytest -p no:xdist tests/tidy

soak: $(DEV)  ## faults of every kind for an hour, or SOAK_MINUTES (bench/faults.py)
	$(BIN)/python -m bench.faults --minutes $(or $(SOAK_MINUTES),60)

bench: $(DEV)  ## speed, as ratios to the bare operations in the same run
	$(BIN)/python -m bench.speed

ablation: $(DEV)  ## what each mechanism of recall gives; LOCOMO= and AIRLINE= name those sets
	$(BIN)/python -m bench.ablation $(if $(LOCOMO),--locomo $(LOCOMO)) $(if $(AIRLINE),--airline $(AIRLINE))

train-ranker: $(DEV)  ## learn ranking weights into OUT=ranker.json; LOCOMO= and AIRLINE= as above
	$(BIN)/python -m bench.train_ranker --out $(or $(OUT),ranker.json) $(if $(LOCOMO),--locomo $(LOCOMO)) $(if $(AIRLINE),--airline $(AIRLINE))

train-heads: $(DEV)  ## learn what sentences do and what a summary would mention, from bench/data; TAGS= TAGS_TEST= NAMES= NAMES_TEST= also learn the tagger
	$(BIN)/python -m bench.train_heads
	$(BIN)/python -m bench.train_secrets
	$(if $(TAGS),$(BIN)/python -m bench.train_tagger --tags $(TAGS) --tags-test $(TAGS_TEST) --names $(NAMES) --names-test $(NAMES_TEST))

format: $(DEV)  ## put everything into the one format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DEV)  ## write the command reference, tables of docs/, the operations of Memory and the error texts anew
	$(BIN)/python -m docs.reference
	$(BIN)/python -m docs.tables
	$(BIN)/python -m docs.async_stub
	$(BIN)/python -m tests.tidy.error_texts

$(VENV)/pyvenv.cfg:
	$(PYTHON) -c 'import sys; sys.exit("Meridia needs Python 3.11 or newer: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"

$(BASE): pyproject.toml $(VENV)/pyvenv.cfg
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --editable .
	touch $@

$(DEV): pyproject.toml $(VENV)/pyvenv.cfg
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --editable . --group dev
	mkdir -p $(VENV)/path && ln -sfn ../.. $(VENV)/path/meridia
	touch $(BASE) $@

dist: $(DEV)  ## build wheel and sdist into dist/, the same bytes from the same commit
	$(BIN)/python -m docs.release

site: $(DEV)  ## build the site of the documents into dist/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m docs.site

neo4j: $(DEV)  ## run a Neo4j server from Maven's jars until Ctrl-C; needs Java 17 or newer, and Maven
	$(BIN)/python -m tests.local_neo4j

clean:  ## remove what the other commands made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
