#!/usr/bin/env bash
# Makes an archive of the program for machines without Rust: delassus-VERSION-TARGET.tar.gz with the
# program without symbols, its manual pages, the completions of three shells and the licences.
#
#   crates/lab/release.sh                                   # into target/archive
#   crates/lab/release.sh FOLDER
#   DELASSUS=path/to/delassus crates/lab/release.sh FOLDER  # a program that is built already
#
# Linux with glibc. The program needs the C library alone: the unwinder of gcc is linked into it.
# Exit code 1 where it needs another library. Equal programs give equal archives.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${1:-$root/target/archive}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${DELASSUS:-}" ]; then
    # the linker takes a library of this name for the shared one
    mkdir "$work/static"
    echo 'INPUT(-lgcc_eh -lgcc)' >"$work/static/libgcc_s.so"
    export RUSTFLAGS="${RUSTFLAGS:-} -L native=$work/static" CARGO_PROFILE_RELEASE_STRIP=symbols
    cargo build --release --locked --manifest-path "$root/Cargo.toml" --target-dir "$root/target/archive-build"
    DELASSUS=$root/target/archive-build/release/delassus
fi

others=$(ldd "$DELASSUS" | awk '{ print $1 }' | grep -Ev '^(linux-vdso|/lib.*/ld-|lib(c|m|dl|rt|pthread)\.so)' || true)
if [ -n "$others" ]; then
    echo "$0: $DELASSUS needs more than the C library: $others;" \
        "leave DELASSUS out, and this script builds a program that needs no more" >&2
    exit 1
fi

name=delassus-$("$DELASSUS" --version | awk '{ print $2 }')-$(rustc -vV | awk '/^host:/ { print $2 }')
folder=$work/$name
mkdir -p "$folder/share/man/man1" "$folder/share/completions" "$out"
install -D -m 755 "$DELASSUS" "$folder/bin/delassus"
"$folder/bin/delassus" man --out "$folder/share/man/man1" >/dev/null
for shell in bash zsh fish; do
    "$folder/bin/delassus" completions "$shell" >"$folder/share/completions/delassus.$shell"
done
cp "$root/LICENSE-APACHE" "$root/LICENSE-MIT" "$root/CITATION.cff" "$folder"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$work" -cf - "$name" |
    gzip -n >"$out/$name.tar.gz"
echo "$out/$name.tar.gz"
