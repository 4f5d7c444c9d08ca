#!/usr/bin/env bash
# Runs folders of test/slow, and prints for each that passed the trailer that says so in a commit message:
#   Slow-Tests: <folder> <hash of the files that it watches>
# Usage: tools/slowTests.sh all|changed [folder …]
# "changed" skips a folder when a commit of HEAD says that it passed with the watched files as they are now.
set -euo pipefail
which=$1
shift
[ $# -gt 0 ] || set -- gates scale faults browser valuation

# The working tree counts, so that the commit that follows can carry the trailer.
hash_of() {
  local watched paths
  case $1 in
    browser) watched=(src/pages src/words src/site src/infra/alerts src/usecases/alerts assets docs/guides) ;;
    valuation) watched=(src/domain data/items.json docs/flip-score.md) ;;
    gates) watched=(src tools Makefile Containerfile openapi.yaml clients released) ;;
    *) watched=(src ':!src/pages' migrations openapi.yaml) ;;
  esac
  paths=$(git ls-files -co --exclude-standard --deduplicate -- "${watched[@]}" "test/slow/$1" package-lock.json |
    while read -r path; do [ ! -e "$path" ] || echo "$path"; done)
  { echo "$paths"; git hash-object --stdin-paths <<<"$paths"; } | git hash-object --stdin
}

passed=$(git log --format='%(trailers:key=Slow-Tests,valueonly)' HEAD)
trailers=
# Also after a folder that failed, for those before it.
trap '[ -z "$trailers" ] || printf "\nPassed. End the message of the next commit with:\n\n%s" "$trailers"' EXIT
for folder in "$@"; do
  state="$folder $(hash_of "$folder")"
  if [ "$which" = changed ] && grep -qxF "$state" <<<"$passed"; then
    echo "NOTE: test/slow/$folder skipped: it passed with the files that it watches. Run: tools/slowTests.sh all $folder"
    continue
  fi
  npx vitest run --project slow "test/slow/$folder"
  trailers+="Slow-Tests: $state"$'\n'
done
