#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it in a new virtual environment, and tests it there: Clippy, ruff, mypy, stubtest,
# pytest and the notebooks.
#
#   tests/python.sh [--release]
#
# By default the wheel has the profile of the tests and is built in the target folder of the workspace, which has most libraries of
# other projects already. `--release` builds the wheel that users get.
#
# pip downloads maturin, NumPy, pytest, and libraries that the package can use. Where Python or one of the first three is missing, the
# script says so and ends well. DELASSUS_PYTHON=1 makes everything that is missing an error, DELASSUS_PYTHON=0 skips all.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
wanted=${DELASSUS_PYTHON:-}
missing() {
    if [ "$wanted" = 1 ]; then
        echo "error: the Python package is not tested: $1" >&2
        exit 1
    fi
    echo "skipped: the Python package is not tested: $1"
    exit 0
}
case "${1:-}" in
    "") profile=() target=$root/target ;;
    --release) profile=(--release) target=$root/crates/python/target ;;
    *)
        echo "usage: tests/python.sh [--release]" >&2
        exit 2
        ;;
esac
[ "$wanted" != 0 ] || missing "DELASSUS_PYTHON=0"
command -v python3 >/dev/null || missing "there is no python3"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    missing "it needs Python 3.10 or later, and python3 is $(python3 --version 2>&1)"
python3 -c 'import venv, ensurepip' 2>/dev/null || missing "python3 has no venv or no pip (Debian: apt-get install python3-venv)"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 -m venv "$place/env" || missing "python3 -m venv made no environment"
export PATH=$place/env/bin:$PATH VIRTUAL_ENV=$place/env CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$target}
# without a network pip gives up soon
install=(pip install --quiet --disable-pip-version-check --retries 1 --timeout 60 --only-binary ':all:')
"${install[@]}" 'maturin>=1.9.4,<2' numpy pytest || missing "pip could not install maturin, NumPy and pytest (is there a network?)"

# libraries for parts of the package, while the wheel is built
others=(mypy ruff scipy polars pandas pyarrow sympy matplotlib gymnasium nbclient ipykernel)
"${install[@]}" "${others[@]}" &
pip=$!
cd crates/python
# Clippy, on this package alone, compiles the wheel of the tests
driver=$(rustc --print sysroot)/bin/clippy-driver
if [ "${#profile[@]}" = 0 ] && [ -x "$driver" ]; then
    export RUSTC_WORKSPACE_WRAPPER=$driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
fi
maturin build --locked ${profile[@]+"${profile[@]}"} --out "$place/wheels"
complete=1
if ! wait "$pip"; then
    [ "$wanted" != 1 ] || missing "pip could not install ${others[*]}"
    complete=0
    echo "skipped: mypy, ruff and tests that need other libraries: pip could not install ${others[*]}"
fi
pip install --quiet --disable-pip-version-check --no-index --no-deps "$place"/wheels/delassus-*.whl
if [ "$complete" = 1 ]; then
    ruff format --check .
    ruff check .
    mypy
    stubtest delassus._native
fi
pytest --quiet tests
