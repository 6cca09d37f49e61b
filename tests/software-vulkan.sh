#!/usr/bin/env bash
# Installs Mesa's software Vulkan, on which the tests of the GPU solvers run where there is no GPU.
# Debian and Ubuntu, as root or with sudo. Does nothing where a Vulkan driver is installed; exits 1 where it cannot help.
set -euo pipefail

for folder in /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/share/vulkan/icd.d; do
    if compgen -G "$folder/*.json" >/dev/null && ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1'; then
        echo "a Vulkan driver is installed: $(compgen -G "$folder/*.json" | tr '\n' ' ')"
        exit 0
    fi
done
if ! command -v apt-get >/dev/null; then
    echo "no apt-get here: install Mesa's Vulkan drivers (lavapipe) and the Vulkan loader by hand" >&2
    exit 1
fi
root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "needs root: apt-get install libvulkan1 mesa-vulkan-drivers" >&2
        exit 1
    fi
    root=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
packages=(libvulkan1 mesa-vulkan-drivers)
# the list of packages may be missing or old
"${root[@]}" apt-get install -y --no-install-recommends "${packages[@]}" >/dev/null 2>&1 || {
    "${root[@]}" apt-get update
    "${root[@]}" apt-get install -y --no-install-recommends "${packages[@]}"
}
