#!/usr/bin/env bash
# Prints the CPU seconds of every crate of one cold build, the most expensive first, and their sum.
#
#   tests/build-times.sh                        the README's first command: build --release --bin delassus
#   tests/build-times.sh test --no-run          any other cargo command
#
# Set BUILD_TIMES_TARGET to keep the target directory and to measure what a second command adds to the first.
# CPU seconds depend on the machine and its load: compare two commits on one idle machine.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- build --release --bin delassus

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILD_TIMES_LOG=$work/log
cat > "$work/rustc" <<'WRAPPER'
#!/usr/bin/env bash
# Runs the compiler and appends one line: user seconds, system seconds, wall seconds, crate.
name=
previous=
for argument; do
    [ "$previous" = --crate-name ] && name=$argument
    previous=$argument
done
exec 3>&1 4>&2
TIMEFORMAT="%U %S %R $name"
line=$({ time "$@" 1>&3 2>&4; } 2>&1) && code=0 || code=$?
# Cargo asks the compiler for its version, which compiles nothing.
[ -z "$name" ] || [ "$name" = ___ ] || echo "$line" >> "$BUILD_TIMES_LOG"
exit "$code"
WRAPPER
chmod +x "$work/rustc"
touch "$BUILD_TIMES_LOG"

export CARGO_TARGET_DIR=${BUILD_TIMES_TARGET:-$work/target}
export RUSTC_WRAPPER=$work/rustc
SECONDS=0
cargo "$@" >&2
echo "user_s system_s wall_s crate: cargo $*"
sort -rn "$BUILD_TIMES_LOG"
awk -v wall="$SECONDS" '{ user += $1; kernel += $2 }
    END { printf "%.0f CPU seconds in %d compilations, %d s of wall time\n", user + kernel, NR, wall }' "$BUILD_TIMES_LOG"
