#!/usr/bin/env bash
# Runs PostgreSQL, dev servers that share a database in it, and a proxy before them, until it is interrupted. It needs PostgreSQL and haproxy,
# for example those of Debian, and Go to build the dev server unless DEVSERVER names one. SERVERS is the number of servers, PORT that of the
# proxy, and arguments are more options of the servers. The data is deleted at the end.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers=${SERVERS:-2}
port=${PORT:-8124}
work=$(mktemp -d)
database=
proxy=
started=()

finish() {
	local status=$?
	trap - EXIT INT TERM
	for pid in "${started[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	for pid in "${started[@]}"; do
		wait "$pid" || status=$? # Requests in progress go on until they are answered.
	done
	[[ -z $proxy ]] || kill "$proxy" 2>/dev/null || true
	[[ -z $database ]] || kill -INT "$database" 2>/dev/null || true # Not TERM, after which it would wait for its clients.
	wait
	if ((status != 0)); then
		tail -n 20 "$work"/*.log "$work"/database/log >&2 2>/dev/null || true
	fi
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT
trap 'exit 0' INT TERM

# Waits up to a minute for a command to succeed.
await() {
	for ((i = 0; i < 600; i++)); do
		if "$@" >/dev/null 2>&1; then
			return
		fi
		sleep 0.1
	done
	echo "after a minute: $* fails" >&2
	exit 1
}

# PostgreSQL listens on a socket in a directory that only its user can open. It refuses to run as root.
for bin in /usr/lib/postgresql/*/bin; do :; done
[[ -x $bin/postgres ]] || bin=$(dirname "$(command -v postgres)")
mkdir -m 700 "$work/database"
as=()
if ((EUID == 0)); then
	chmod 711 "$work"
	chown postgres "$work/database"
	as=(setpriv --reuid=postgres --regid=postgres --init-groups)
fi
(cd "$work/database" && "${as[@]}" "$bin/initdb" -D data -U plane -A trust -E UTF8 --locale=C >log 2>&1)
(cd "$work/database" && exec "${as[@]}" "$bin/postgres" -D data -k "$work/database" -c listen_addresses= >>log 2>&1) &
database=$!
await "$bin/psql" -h "$work/database" -U plane -d postgres -c 'CREATE DATABASE agentplane'

# The servers have the same options, the same key for secrets, and the same API key.
devserver=${DEVSERVER:-$work/devserver}
[[ -n ${DEVSERVER:-} ]] || (cd "$here/../.." && go build -o "$devserver" ./internal/cmd/devserver)
key=${AGENTPLANE_API_KEY:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
(umask 077 && printf '{"keys": [{"value": "%s"}]}\n' "$key" >"$work/keys.json")
cp "$here/haproxy.cfg" "$work/haproxy.cfg"
for ((n = 1; n <= servers; n++)); do
	"$devserver" -addr 127.0.0.1:0 -data "postgres://plane@/agentplane?host=$work/database" -seal-key "$work/seal-key" -fixtures "$work/keys.json" \
		-trusted-proxies 127.0.0.1 -drain-delay 3s -metrics :0 -log-format json "$@" >"$work/server$n.out" 2>"$work/server$n.log" &
	started+=($!)
	await grep -qx ready "$work/server$n.out"
	url=$(sed -n 's/^listening on //p' "$work/server$n.out")
	echo "    server server$n ${url#http://}" >>"$work/haproxy.cfg"
	echo "# Server $n is at $url, its metrics at $(sed -n 's/.*"metrics are served","url":"\([^"]*\)".*/\1/p' "$work/server$n.log")."
done

LISTEN=127.0.0.1:$port haproxy -db -f "$work/haproxy.cfg" >"$work/haproxy.log" 2>&1 &
proxy=$!
await curl -fs "http://127.0.0.1:$port/readyz"
grep '^export ' "$work/server1.out" | grep -v -e AGENTPLANE_BASE_URL -e AGENTPLANE_API_KEY
cat <<EOF
export AGENTPLANE_BASE_URL='http://127.0.0.1:$port'
export AGENTPLANE_API_KEY='$key'
ready
EOF
wait -n "${started[@]}" "$proxy" "$database"
echo "a process has ended" >&2
exit 1
