#!/usr/bin/env bash
# What action.yml runs. Everything comes as environment and goes on as one argument each; nothing is evaluated.
set -uo pipefail

args=("$TW_MODE" --command "$TW_COMMAND" --level "$TW_LEVEL" --report "$TW_REPORT")
# Words are split at spaces, and no pattern among them is taken for names of files.
set -f
for each in $TW_CAPABILITIES; do args+=(--capability "$each"); done
for each in $TW_ONLY; do args+=(--only "$each"); done
for each in $TW_SKIP; do args+=(--skip "$each"); done
[ -n "$TW_KNOWN_FAILING" ] && args+=(--known-failing "$TW_KNOWN_FAILING")
[ -n "$TW_JOBS" ] && args+=(--jobs "$TW_JOBS")

case "$TW_MODE" in
  harness | orchestrator | custodian | client) ;;
  *) echo "::error::mode is one of harness, orchestrator, custodian, client" && exit 2 ;;
esac

if [ -n "$TW_VERSION" ]; then
  run=(npx --yes "@turnwire/contract-tests@$TW_VERSION")
else
  run=(node "$TW_ACTION_PATH/bin/turnwire-contract.js")
fi

"${run[@]}" "${args[@]}"
code=$?
if [ "$code" -le 1 ]; then
  [ -f "$TW_REPORT/summary.md" ] && cat "$TW_REPORT/summary.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
fi
echo "conformant=$([ "$code" -eq 0 ] && echo true || echo false)" >> "${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
