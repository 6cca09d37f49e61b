#!/usr/bin/env bash
# Runs the README's first two commands on a machine that has Rust, a C compiler, and nothing else.
#
#   tests/bare-machine.sh                                     # demo and test, as in the README
#   tests/bare-machine.sh 'cargo test --workspace -- law_8'   # other commands in their place
#   BARE_MACHINE=folder tests/bare-machine.sh                 # keep the folder and what was built
#
# Needs root on Debian, git, debootstrap, and cargo with the packages of Cargo.lock (cargo fetch).
# The root folder holds Debian's required packages, gcc and libc6-dev. It gets this machine's Rust
# toolchain and downloaded packages, and a clone of the last commit. The commands run there with an
# empty environment: no network, git, Python, Vulkan driver, fonts, locale or user settings.
set -euo pipefail
project=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- 'cargo run --release -- demo' 'cargo test --workspace'
for program in git debootstrap cargo unshare; do
    command -v "$program" >/dev/null || { echo "$0: $program is not installed" >&2; exit 1; }
done
[ "$(id -u)" -eq 0 ] || { echo "$0: debootstrap and chroot need root" >&2; exit 1; }

if [ -n "${BARE_MACHINE:-}" ]; then
    mkdir -p "$BARE_MACHINE"
    machine=$(cd "$BARE_MACHINE" && pwd)
else
    machine=$(mktemp -d)
    # the mounts below belong to a namespace of their own: they are gone when this runs
    trap 'rm -rf --one-file-system "$machine"' EXIT
fi

if [ ! -e "$machine/usr/bin/gcc" ]; then
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    debootstrap --variant=minbase --include=gcc,libc6-dev "$suite" "$machine"
fi
home=$machine/root
mkdir -p "$home/.cargo/registry" "$machine/opt/rust"
downloaded=${CARGO_HOME:-$HOME/.cargo}/registry
cp -a --update "$downloaded/index" "$downloaded/cache" "$home/.cargo/registry"
build=$home/delassus
if [ -d "$build/target" ]; then
    mv "$build/target" "$home/target"
fi
rm -rf "$build"
git clone --quiet --no-hardlinks "$project" "$build"
if [ -d "$home/target" ]; then
    mv "$home/target" "$build/target"
fi

# Runs in namespaces that end with it: mounts, processes, and a network that has only loopback.
inside() { # TOOLCHAIN MACHINE COMMAND...
    local toolchain=$1 machine=$2 command
    shift 2
    mount --bind -o ro "$toolchain" "$machine/opt/rust"
    mount -t proc proc "$machine/proc"
    ip link set lo up 2>/dev/null || true
    for command; do
        echo "bare machine: $command"
        # offline: cargo takes the packages that were copied
        chroot "$machine" /usr/bin/env -i \
            HOME=/root PATH=/opt/rust/bin:/usr/bin:/bin CARGO_NET_OFFLINE=true \
            sh -c "cd /root/delassus && $command" </dev/null
    done
}
export -f inside
unshare --mount --pid --net --fork --kill-child \
    bash -euo pipefail -c 'inside "$@"' inside "$(rustc --print sysroot)" "$machine" "$@"
echo "bare machine: all commands succeeded"
