#!/usr/bin/env bash
# What action.yml runs. Everything comes as environment and goes on as one argument each; nothing is evaluated.
set -uo pipefail

output() { echo "$1=$2" >> "${GITHUB_OUTPUT:-/dev/null}"; }
usage() {
  echo "::error::$1"
  output conformant false
  exit 2
}

case "$TW_MODE" in
  harness | orchestrator | custodian | client) ;;
  *) usage "mode is one of harness, orchestrator, custodian, client" ;;
esac

case "$TW_REPORT" in *$'\n'*) usage "report is the name of a folder, on one line" ;; esac

args=("$TW_MODE" --command "$TW_COMMAND" --level "$TW_LEVEL" --report "$TW_REPORT")
# Words are split at spaces, and no pattern among them is taken for names of files.
set -f
for each in $TW_CAPABILITIES; do args+=(--capability "$each"); done
for each in $TW_ONLY; do args+=(--only "$each"); done
for each in $TW_SKIP; do args+=(--skip "$each"); done
[ -n "$TW_KNOWN_FAILING" ] && args+=(--known-failing "$TW_KNOWN_FAILING")
[ -n "$TW_JOBS" ] && args+=(--jobs "$TW_JOBS")

if [ -n "$TW_VERSION" ]; then
  run=(npx --yes "@turnwire/contract-tests@$TW_VERSION")
elif [ -f "$TW_ACTION_PATH/dist/main.js" ]; then
  run=(node "$TW_ACTION_PATH/bin/turnwire-contract.js")
else
  usage "the kit is not installed where this action stands: give version"
fi

# What an earlier run left there is no word of this one.
rm -f -- "$TW_REPORT/summary.md"
"${run[@]}" "${args[@]}"
code=$?
[ -f "$TW_REPORT/summary.md" ] && cat -- "$TW_REPORT/summary.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
output conformant "$([ "$code" -eq 0 ] && echo true || echo false)"
output report "$TW_REPORT"
exit "$code"
