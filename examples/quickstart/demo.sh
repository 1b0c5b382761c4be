#!/usr/bin/env bash
# Runs the lifecycle of a deployment offline: starts a dev server on a free port of this machine and runs Terraform or OpenTofu
# against it. KEEP=1 leaves the server and the deployment running.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$here/.work
image=registry.example.com/agents/chat:1.1.0
server=

say() { printf '\n==> %s\n' "$*"; }

# Prints a command as a user would type it, then runs it.
run() {
	printf '$ %s\n' "$(basename "$1") ${*:2}"
	"$@"
}

finish() {
	local status=$?
	if [[ -n $server ]]; then
		kill "$server" 2>/dev/null || true
		wait "$server" || true
	fi
	if ((status != 0)); then
		printf '\nThe demo failed (exit %d).' "$status" >&2
		if [[ -s $work/server.log ]]; then
			printf " The end of the dev server's log, %s:\n" "$work/server.log" >&2
			tail -n 20 "$work/server.log" >&2
		fi
		echo >&2
	fi
	exit "$status"
}

if [[ -f $work/server.pid && $(ps -o comm= -p "$(<"$work/server.pid")" 2>/dev/null) == *devserver ]]; then
	echo "A demo started with KEEP=1 still runs in $work." >&2
	echo "Stop it first: kill $(<"$work/server.pid")" >&2
	exit 1
fi
trap finish EXIT
rm -rf "$work"
mkdir -p "$work"

# The demo must only reach its own server, whatever variables are set.
unset "${!AGENTPLANE_@}" "${!TF_VAR_@}" "${!TF_CLI_@}" TF_DATA_DIR TF_WORKSPACE TF_REATTACH_PROVIDERS
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_INPUT=0
[[ -t 1 ]] || export TF_CLI_ARGS=-no-color
cli=$("$root/.ci/cli")

say "Building the provider and the dev server"
cd "$root"
# A filesystem mirror, so that init installs the provider as if from a registry and writes a real lock file.
platform=$(go env GOOS)_$(go env GOARCH)
for host in registry.terraform.io registry.opentofu.org; do
	mkdir -p "$work/mirror/$host/agentplane/agentplane/0.1.0"
done
go build -ldflags "-X main.version=0.1.0" \
	-o "$work/mirror/registry.terraform.io/agentplane/agentplane/0.1.0/$platform/" .
cp -R "$work/mirror/registry.terraform.io/agentplane/agentplane/0.1.0/$platform" \
	"$work/mirror/registry.opentofu.org/agentplane/agentplane/0.1.0/"
go build -o "$work/devserver" ./internal/cmd/devserver
cat >"$work/cli.tfrc" <<-EOF
	provider_installation {
	  filesystem_mirror {
	    path = "$work/mirror"
	  }
	}
EOF
cp "$here/main.tf" "$work/"
cd "$work"

say "Starting the dev server"
: >server.out
nohup ./devserver -addr 127.0.0.1:0 -seed -rollout 3s </dev/null >server.out 2>server.log &
server=$!
echo "$server" >server.pid
for ((i = 0; i < 300; i++)); do
	if grep -qx ready server.out || ! kill -0 "$server" 2>/dev/null; then
		break
	fi
	sleep 0.1
done
grep '^listening on ' server.out
grep -qx ready server.out
{
	grep '^export ' server.out
	echo "export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE='$work/cli.tfrc'"
} >env.sh
# shellcheck source=/dev/null
. ./env.sh

say "Creating a deployment and waiting until its first revision is DEPLOYED"
# Not shown in full, because it warns that the lock file covers only the mirror's platform.
run "$cli" init >init.log 2>&1 || {
	cat init.log >&2
	exit 1
}
head -n 1 init.log
grep -E '^- Installed ' init.log
run "$cli" apply -auto-approve

say "Changing the image: updates the deployment in place, with a new revision"
echo "export TF_VAR_image=$image" | tee -a env.sh
export TF_VAR_image=$image
run "$cli" plan -out=image.tfplan
run "$cli" apply image.tfplan

say "Planning again: no changes"
run "$cli" plan -detailed-exitcode

if [[ -n ${KEEP:-} ]]; then
	pid=$server
	server=
	say "The dev server (process $pid) and the deployment are still running. To continue or to clean up:"
	cat <<-EOF
		cd $work
		. ./env.sh
		$(basename "$cli") plan
		$(basename "$cli") destroy
		kill $pid
	EOF
	exit
fi

say "Destroying everything"
run "$cli" destroy -auto-approve
kill "$server"
wait "$server" || true
server=
cd "$here"
rm -rf "$work"

say "Done: created a deployment, rolled out a second revision in place, planned no further changes, destroyed everything."
