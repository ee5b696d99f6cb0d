#!/usr/bin/env bash
# An Envoy as a Custodian, with the environment of the wire: writes its bootstrap with `turnwire-custodian envoy`, says on
# standard output when it listens, and becomes the Envoy. What the kit, the demo and a laptop start.
#
#   envoy-custodian.sh [--custodian COMMAND] [--envoy PROGRAM]
#
# COMMAND prints a bootstrap when `envoy` and its flags are put behind it; `turnwire-custodian` when absent.
set -euo pipefail

custodian=turnwire-custodian
envoy=envoy
while (($# > 0)); do
  case $1 in
    --custodian) custodian=$2 ;;
    --envoy) envoy=$2 ;;
    *) echo "$1 is not known here (--custodian COMMAND, --envoy PROGRAM)" >&2; exit 2 ;;
  esac
  shift 2
done

host=${TURNWIRE_HOST:-127.0.0.1}
port=${TURNWIRE_PORT:-8081}
connects() { (exec 3<>"/dev/tcp/$host/$port") 2>/dev/null; }

# Envoy does not say which port it was given, so a free one is looked for before.
if [[ $port == 0 ]]; then
  port=$(node -e 'const s = require("net").createServer().listen(0, () => { console.log(s.address().port); s.close(); })')
elif connects; then
  echo "port $port is taken; give another by TURNWIRE_PORT" >&2
  exit 1
fi

# What stands before the token's dot is the placement; Envoy's configuration has to name it.
placement=${TURNWIRE_PLACEMENT:-$(head -n 1 "${TURNWIRE_PLACEMENT_TOKEN_FILE:-}" 2>/dev/null | cut -d . -f 1 || true)}
bootstrap=$(mktemp "${TMPDIR:-/tmp}/turnwire-envoy-XXXXXX.json")
if ! $custodian envoy --placement "${placement:-none}" --port "$port" >"$bootstrap"; then
  rm -f "$bootstrap"
  exit 1
fi

pid=$$
(
  while ! connects && kill -0 $pid 2>/dev/null; do sleep 0.02; done
  rm -f "$bootstrap"
  if kill -0 $pid 2>/dev/null; then
    printf '{"event":"listening","role":"custodian","url":"http://%s:%s","pid":%s}\n' "$host" "$port" "$pid"
  fi
) &
# One of many on this machine, and its log at once.
exec "$envoy" -c "$bootstrap" --disable-hot-restart --concurrency 1 --file-flush-interval-msec 50 --log-level error
