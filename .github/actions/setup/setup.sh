#!/bin/sh
# Installs the provider and the dev server of a release, starts the dev server, and prints what a job needs to use both:
#
#   eval "$(setup.sh [OPTION]... [-- DEV-SERVER-OPTION...])"
#   setup.sh stop [-directory DIRECTORY]
#
#   -version VERSION      the release; by default the one that the lock file names, or else the one that this script is from
#   -lock FILE            the lock file, by default .terraform.lock.hcl
#   -upgrade              ignore the lock file; "init -upgrade" then updates it
#   -source SOURCE        where its files are: a directory or a URL, instead of GitHub; or a clone of the repository, which is built
#   -directory DIRECTORY  where everything is installed, by default .agentplane
#   -env FILE             append NAME=VALUE lines to a file, such as $GITHUB_ENV, instead of printing export commands
#
# The dev server listens on a free port of this machine. Its options are -seed by default. It runs until "setup.sh stop", or until the
# runner ends the processes of the job.
#
# The provider is installed into a directory that the CLI uses like a registry: init, submodules and lock files work as usual, and all
# other providers come from where they always do. It needs a POSIX shell, and curl or wget unless SOURCE is a directory.
set -eu
umask 077

# .ci/changelog writes the version of a release here. Before the first one, the clone that the script is in is built.
version=
project=terraform-provider-agentplane
repository=https://github.com/agentplane/$project
releases=https://github.com/agentplane/$project/releases/download
directory=.agentplane
source=
env=
lock=.terraform.lock.hcl
upgrade=
explicit=
marker='# Added by the setup of Agentplane:'

say() { echo "agentplane: $*" >&2; }

# fail also makes an eval of the output fail, which would otherwise ignore the exit status.
fail() {
	say "$@"
	[ -n "$env" ] || echo false
	exit 1
}

# value OPTION [VALUE]...
value() {
	if [ $# -lt 2 ] || [ -z "$2" ]; then
		fail "$1 needs a value."
	fi
}

# runs PID reports whether a process is a dev server, and not another one that got its number.
runs() {
	if [ -r "/proc/$1/cmdline" ]; then
		tr '\0' ' ' <"/proc/$1/cmdline"
	else
		ps -o command= -p "$1" || true
	fi 2>/dev/null | grep -q devserver
}

stop() {
	pid=$(cat "$directory/devserver.pid" 2>/dev/null) || return 0
	if runs "$pid"; then
		kill "$pid"
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			runs "$pid" || break
			sleep 1
		done
	fi
	rm -f "$directory/devserver.pid"
}

# fetch FILE gets a file of the release.
fetch() {
	case $source in
	http://* | https://*)
		if command -v curl >/dev/null; then
			curl -fsSL --retry 3 -o "$directory/$1" "$source/$1"
		else
			wget -q -O "$directory/$1" "$source/$1"
		fi
		;;
	*) cp "$source/$1" "$directory/$1" ;;
	esac || fail "There is no $1 in $source: is $version a released version?"
}

# verify FILE compares a file with the checksums of the release.
verify() {
	want=$(awk -v name="$1" '$2 == name { print $1 }' "$directory/$sums")
	[ -n "$want" ] || fail "$sums doesn't list $1: this release has no files for $platform."
	got=$(sha256sum "$directory/$1" 2>/dev/null || shasum -a 256 "$directory/$1")
	[ "${got%% *}" = "$want" ] || fail "$1 has the checksum ${got%% *}, but $sums lists $want."
}

# mirrors lists where the CLIs look for the provider.
mirrors() {
	for host in registry.terraform.io registry.opentofu.org; do
		echo "$directory/mirror/$host/agentplane/agentplane"
	done
}

download() {
	sums=${project}_${version}_SHA256SUMS
	provider=${project}_${version}_$platform.zip
	server=agentplane-devserver_${version}_$platform.tar.gz
	for file in "$sums" "$provider" "$server"; do
		fetch "$file"
	done
	verify "$provider"
	verify "$server"
	tar -xzf "$directory/$server" -C "$directory" agentplane-devserver
	for mirror in $(mirrors); do
		mkdir -p "$mirror"
		cp "$directory/$provider" "$mirror/"
	done
	rm "$directory/$sums" "$directory/$provider" "$directory/$server"
}

# build makes the same from a clone: of the commit that the lock file names, if any.
build() {
	command -v go >/dev/null || fail "$source is a clone, and building it needs Go."
	tree=$source
	if [ -n "$commit" ]; then
		[ "$source" = "$repository" ] || [ -f "$source/go.mod" ] ||
			fail "$lock names the commit $commit, which $source isn't a clone to build from: use -upgrade, and terraform init -upgrade."
		tree=$directory/tree
		rm -rf "$tree"
		git clone -q --no-checkout "$source" "$tree"
		git -C "$tree" cat-file -e "$commit" 2>/dev/null || git -C "$tree" fetch -q "$repository" ||
			fail "$lock names the commit $commit, which neither $source nor $repository has."
		git -C "$tree" checkout -q "$commit" || fail "$lock names $commit, which is not a commit of $source."
	fi
	say "Building ${commit:-$source}."
	version=$("$tree/.ci/install" -mirror "$directory/mirror" ${version:+-version "$version"}) || fail "The build failed."
	(cd "$tree" && go build -trimpath -ldflags "-X main.version=$version" -o "$directory/agentplane-devserver" ./internal/cmd/devserver) ||
		fail "The build failed."
	[ "$tree" = "$source" ] || rm -rf "$tree"
}

# configure writes the configuration of the CLI: the existing one, with where to find the provider.
configure() {
	existing=${TF_CLI_CONFIG_FILE:-}
	for file in "${HOME:-}/.terraformrc" "${HOME:-}/.tofurc"; do
		[ -n "$existing" ] || [ ! -f "$file" ] || existing=$file
	done
	: >"$directory/cli.tfrc.new"
	if [ -f "$existing" ]; then
		sed "/^$marker/,\$d" "$existing" >"$directory/cli.tfrc.new"
		if grep -q -e '^[[:space:]]*"\{0,1\}provider_installation' -e '^[[:space:]]*{' "$directory/cli.tfrc.new"; then
			fail "$existing has a provider_installation, or is JSON, so that nothing can be added to it." \
				"Set TF_CLI_CONFIG_FILE to a file without one for this job."
		fi
	fi
	cat >>"$directory/cli.tfrc.new" <<-CONFIGURATION
		$marker
		provider_installation {
		  filesystem_mirror {
		    path    = "$directory/mirror"
		    include = ["registry.terraform.io/agentplane/agentplane", "registry.opentofu.org/agentplane/agentplane"]
		  }
		  direct {
		    exclude = ["registry.terraform.io/agentplane/agentplane", "registry.opentofu.org/agentplane/agentplane"]
		  }
		}
	CONFIGURATION
	mv "$directory/cli.tfrc.new" "$directory/cli.tfrc"
}

start() {
	out=$directory/devserver.out log=$directory/devserver.log
	: >"$out"
	# It outlives the terminal; minimal systems have no nohup.
	(
		trap '' HUP
		exec "$directory/agentplane-devserver" -addr 127.0.0.1:0 "$@" </dev/null >"$out" 2>"$log"
	) &
	pid=$!
	echo "$pid" >"$directory/devserver.pid"
	tries=0
	until grep -qx ready "$out"; do
		tries=$((tries + 1))
		if ! kill -0 "$pid" 2>/dev/null || [ "$tries" -gt 600 ]; then
			kill "$pid" 2>/dev/null || true
			rm -f "$directory/devserver.pid"
			tail -n 20 "$log" >&2
			fail "The dev server did not start. The end of its log is above; all of it is in $log."
		fi
		sleep 0.1
	done
}

# exports prints the variables of the job. A server that knows no key prints its address only.
exports() {
	echo "export TF_CLI_CONFIG_FILE='$directory/cli.tfrc'"
	grep '^export ' "$out" || echo "export AGENTPLANE_BASE_URL='$(address)'"
}

address() { sed -n 's/^listening on //p' "$out"; }

command=start
case ${1:-} in
start | stop)
	command=$1
	shift
	;;
esac
while [ $# -gt 0 ]; do
	case $1 in
	-version) value "$@" && version=${2#v} explicit=1 ;;
	-source) value "$@" && source=${2%/} ;;
	-directory) value "$@" && directory=$2 ;;
	-env) value "$@" && env=$2 ;;
	-lock) value "$@" && lock=$2 ;;
	-upgrade)
		upgrade=1
		shift
		continue
		;;
	--) break ;;
	*) fail "Unknown option $1: those of the dev server follow --." ;;
	esac
	shift 2
done
if [ "$command" = stop ]; then
	stop
	exit
fi
if [ $# -eq 0 ]; then
	set -- -seed
else
	shift
fi

case $(uname -s) in
Linux) platform=linux ;;
Darwin) platform=darwin ;;
*) fail "There is no setup for $(uname -s): use Linux or macOS." ;;
esac
case $(uname -m) in
x86_64 | amd64) platform=${platform}_amd64 ;;
aarch64 | arm64) platform=${platform}_arm64 ;;
*) fail "There is no dev server for $(uname -m): use an amd64 or arm64 machine." ;;
esac

# Versions with a commit as metadata are built from it, all others are releases.
commit=
if [ -z "$upgrade$explicit" ] && [ -f "$lock" ]; then
	locked=$(sed -n '/^provider "registry\.[a-z.]*\/agentplane\/agentplane" {/,/^}/s/^ *version *= *"\(.*\)"/\1/p' "$lock" | head -n 1)
	case $locked in
	*.dirty)
		fail "$lock names version $locked, which was built from uncommitted changes. Commit them, run make install, and then" \
			"terraform init -upgrade."
		;;
	*+*)
		commit=${locked#*+}
		version=
		;;
	?*) [ -n "$source" ] || version=$locked ;;
	esac
fi
clone=$(cd "$(dirname "$0")" && pwd)/../../..
if [ -z "$source$version" ] && [ -f "$clone/go.mod" ]; then
	source=$clone
fi
case $source in
'')
	if [ -n "$commit" ]; then
		source=$repository
	elif [ -n "$version" ]; then
		source=$releases/v$version
	else
		fail "Name a -version."
	fi
	;;
http://* | https://*) [ -n "$version" ] || fail "Name the -version of the files in $source." ;;
*)
	[ -d "$source" ] || fail "There is no directory $source."
	source=$(cd "$source" && pwd)
	if [ -z "$version" ]; then
		for file in "$source/${project}"_*_SHA256SUMS; do
			[ -f "$file" ] || break
			[ -z "$version" ] || fail "There are several versions in $source: name the -version."
			version=${file##*/"${project}"_}
			version=${version%_SHA256SUMS}
		done
	fi
	;;
esac

mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
if pid=$(cat "$directory/devserver.pid" 2>/dev/null) && runs "$pid"; then
	fail "The dev server of $directory still runs: stop it with $0 stop -directory $directory."
fi
rm -rf "$directory/mirror"
if [ -n "$commit" ] || [ -f "$source/go.mod" ]; then
	build
else
	[ -n "$version" ] || fail "There are no files of a release in $source."
	download
fi
configure
start "$@"
say "Version $version is installed in $directory; the dev server is process $pid at $(address)."
if [ -z "$env" ]; then
	exports
else
	exports | while IFS= read -r line; do
		name=${line#export }
		name=${name%%=*}
		eval "$line"
		eval "printf '%s=%s\n' '$name' \"\$$name\"" >>"$env"
	done
fi
