#!/usr/bin/env bash
# The pages in a real browser (docs/decisions/0012-the-page.md): makes them, then opens them in Chromium.
#     tests/browser.sh                                  # where chromedriver and Chromium are; says so where they are not
#     DELASSUS_REQUIRE_BROWSER=1 tests/browser.sh       # fails where they are not
#     DELASSUS_SCREENSHOTS=pictures tests/browser.sh    # keeps pictures of the pages, and the print as PDF
#     DELASSUS_RESULTS=results tests/browser.sh         # the pages of these runs as well
#     DELASSUS_PAGES=FOLDER tests/browser.sh            # of pages that `DELASSUS_PAGES=FOLDER cargo test --workspace` has made
set -euo pipefail
cd "$(dirname "$0")/.."

driver=${CHROMEDRIVER:-chromedriver}
if ! command -v "$driver" >/dev/null; then
    echo "no chromedriver here (Debian: chromium-driver): the pages are not tested in a browser"
    [ -z "${DELASSUS_REQUIRE_BROWSER:-}" ] || exit 1
    exit 0
fi

if [ -n "${DELASSUS_SCREENSHOTS:-}" ]; then
    mkdir -p "$DELASSUS_SCREENSHOTS"
    DELASSUS_SCREENSHOTS=$(cd "$DELASSUS_SCREENSHOTS" && pwd)
    export DELASSUS_SCREENSHOTS
fi
if [ -n "${DELASSUS_RESULTS:-}" ]; then
    DELASSUS_RESULTS=$(cd "$DELASSUS_RESULTS" && pwd)
    export DELASSUS_RESULTS
fi
if [ -z "${DELASSUS_PAGES:-}" ]; then
    DELASSUS_PAGES=$(mktemp -d)
    trap 'rm -rf "$DELASSUS_PAGES"' EXIT
    export DELASSUS_PAGES
    cargo test --locked -p delassus-report --lib -- report::tests:: overview::tests::
    cargo test --locked -p delassus-replay --test replay a_page_for_the_browser
fi
cargo test --locked --manifest-path tests/browser/Cargo.toml
