#!/usr/bin/env bash
# Runs a folder of tests that take long, and keeps a hash of the files they watch in its passed-with.txt when they pass:
#   tools/passedWith.sh <folder of test/> run|when-changed
# "when-changed" skips the run while the watched files are the ones that the tests passed with.
set -euo pipefail
folder=$1
case $folder in
  slow/browser) watched=(src/pages src/infra/alerts src/usecases/alerts assets docs/guides "test/$folder" package-lock.json) ;;
  slow/valuation) watched=(src/domain data/items.json docs/flip-score.md "test/$folder" package-lock.json) ;;
  slow/gates) watched=(src tools Makefile Containerfile openapi.yaml clients released "test/$folder" package-lock.json) ;;
  slow/*) watched=(src ':!src/pages' migrations openapi.yaml "test/$folder" package-lock.json) ;;
esac
file=test/$folder/passed-with.txt
paths=$(git ls-files -co --exclude-standard --deduplicate -- "${watched[@]}" ":!$file" | while read -r path; do
  [ ! -e "$path" ] || echo "$path"
done)
hash=$({ echo "$paths"; git hash-object --stdin-paths <<<"$paths"; } | git hash-object --stdin)
if [ "$2" = when-changed ] && [ "$hash" = "$(cat "$file" 2>/dev/null)" ]; then
  echo "NOTE: test/$folder skipped: nothing that it watches has changed since it passed. Run: tools/passedWith.sh $folder run"
  exit
fi
npx vitest run --project slow "test/$folder"
echo "$hash" >"$file"
[ "$2" = run ] || echo "NOTE: commit $file." >&2
