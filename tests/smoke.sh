#!/bin/sh
# End to end through the installed command: capture, recall with reasons, query, pack, verify.
set -eu
meridia=${1:-meridia}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export MERIDIA_DB="$folder/smoke.db"

"$meridia" capture - <<'EVENTS'
{"id": "e1", "kind": "user_message", "person": "Dana", "session": {"key": "s1"}, "ts": "2026-03-01T10:00:00Z", "payload": {"text": "The sail of my boat is torn."}}
{"id": "e2", "kind": "user_message", "person": "Dana", "session": {"key": "s1"}, "ts": "2026-03-01T10:01:00Z", "payload": {"text": "A loft in Bergen mends it."}}
EVENTS
"$meridia" recall "Where is the torn sail mended?" --explain | grep -q "Bergen"
"$meridia" why-not last e1 >/dev/null
"$meridia" query "MATCH (e:Experience) RETURN count(e) AS n" --json | grep -q "2"
"$meridia" resume Dana | grep -q "@2"
"$meridia" rebuild --verify >/dev/null
"$meridia" verify
echo "smoke: ok"
