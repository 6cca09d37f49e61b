#!/usr/bin/env bash
# Builds the Python package in a new virtual environment and runs its tests, mypy and ruff.
#
#   DELASSUS_PYTHON=1 tests/python.sh
#
# It compiles the crates once more (some minutes) and lets pip download maturin, NumPy, pytest, mypy, ruff, and the libraries of data
# frames and notebooks. Without the variable, or without Python 3.10, it says so and ends well.
set -euo pipefail
cd "$(dirname "$0")/../crates/python"
if [ -z "${DELASSUS_PYTHON:-}" ]; then
    echo "skipped: the Python package compiles the crates once more; DELASSUS_PYTHON=1 builds and tests it"
    exit 0
fi
if ! python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    echo "skipped: the Python package needs python3, version 3.10 or later, with venv and pip"
    exit 0
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env"
export PATH=$place/env/bin:$PATH VIRTUAL_ENV=$place/env
pip install --quiet 'maturin>=1.9.4,<2' numpy scipy pytest mypy ruff polars pandas pyarrow sympy matplotlib
maturin build --locked --release --out "$place/wheels"
pip install --quiet --no-index --no-deps "$place"/wheels/delassus-*.whl
ruff format --check .
ruff check .
mypy
stubtest delassus._native
pytest --quiet tests
