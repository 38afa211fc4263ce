#!/bin/bash
# A MongoDB-compatible server for tests: FerretDB in front of PostgreSQL 18 with the DocumentDB extension.
#
#   server.sh install           fetches everything into the cache; does nothing if it is there
#   server.sh start DIR [PORT]  starts a fresh server with its data in DIR, prints its URI when it answers
#   server.sh kill DIR          SIGKILLs FerretDB and all of PostgreSQL, as a power failure would
#   server.sh kill-front DIR    SIGKILLs FerretDB only; kill-back DIR: PostgreSQL only
#   server.sh restart DIR       starts what does not run, on the same data and ports; prints the URI
#   server.sh stop DIR          stops both cleanly; DIR with data and logs stays, and can be removed or restarted
#   server.sh status DIR        prints what runs; exit code 0 if both do, 1 if not
#
# PRECOUNT_TEST_CACHE   where to install and look; default ${XDG_CACHE_HOME:-~/.cache}/precount-test
# PRECOUNT_TEST_MIRROR  the Debian mirror to install from; default the one that apt uses
# PRECOUNT_TEST_PARENT  a process id: when that process has ended, or DIR is removed, the server is killed
# PRECOUNT_TEST_FSYNC   "off": faster, and safe against SIGKILL, but not against a real power failure
#
# Needs root. Any number of servers run side by side, each with its own DIR. Exit code 3: not installed.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cache=${PRECOUNT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/precount-test}

say() { printf '%s\n' "$*" >&2; }
die() {
	say "server.sh: $*"
	exit 1
}

source "$here/process.sh"
source "$here/install.sh"
source "$here/ports.sh"

# Files in DIR: data/ and state/ of the two servers, log/, ports ("MONGO POSTGRES"), and for each process NAME.pid.
pid_of() { cat "$dir/$1.pid" 2>/dev/null || true; }

start() {
	[[ ! -e $dir/data ]] || die "$dir has data already; use restart, or remove it"
	claim_ports "$dir" "${1:-}"
	mkdir -p "$dir/log" "$dir/state"
	rm -rf "$dir/data.new"
	cp -a --reflink=auto "$root/srv/template" "$dir/data.new"
	mv "$dir/data.new" "$dir/data"
	start_both
}

restart() {
	[[ -e $dir/data && -e $dir/ports ]] || die "no server was ever started in $dir"
	start_both
}

start_both() {
	read -r mongo_port postgres_port <"$dir/ports"
	trap kill_both EXIT # no half a server stays if this fails or is interrupted
	alive "$(pid_of postgres)" || start_postgres
	alive "$(pid_of ferretdb)" || start_ferretdb
	watch_parent
	trap - EXIT
	printf 'mongodb://127.0.0.1:%s/\n' "$mongo_port"
}

# detached NAME COMMAND... runs COMMAND in the background, with no terminal, no lock and none of the caller's pipes.
detached() {
	local name=$1
	shift
	setsid "$@" </dev/null >>"$dir/log/$name.log" 2>&1 8>&- 9>&- &
}

# The jobs of pg_cron are for TTL indexes and for building indexes in the background; without them nothing happens in a
# test that the test did not ask for. FerretDB builds indexes all the same.
start_postgres() {
	rm -f "$dir/postgres.pid"
	local fsync=${PRECOUNT_TEST_FSYNC:-on}
	detached postgres unshare --mount --pid --ipc --fork "$here/inroot.sh" "$root" "$dir/data" "$dir/postgres.pid" \
		"$pgbin/postgres" -D /srv/data "${preload[@]}" \
		-c listen_addresses=127.0.0.1 -c port="$postgres_port" -c unix_socket_directories= \
		-c max_connections=200 -c shared_buffers=512MB -c max_wal_size=2GB \
		-c fsync="$fsync" -c full_page_writes="$fsync" -c restart_after_crash=off \
		-c cron.launch_active_jobs=off -c log_checkpoints=off -c log_min_error_statement=panic
	await postgres $! 60 chroot "$root" "$pgbin/pg_isready" -q -U postgres -h 127.0.0.1 -p "$postgres_port"
}

start_ferretdb() {
	detached ferretdb "$ferretdb" \
		--postgresql-url="postgres://postgres@127.0.0.1:$postgres_port/postgres" --listen-addr="127.0.0.1:$mongo_port" \
		--debug-addr=- --state-dir="$dir/state" --no-auth --telemetry=disable --log-level=warn
	identity $! >"$dir/ferretdb.pid" || true
	await ferretdb $! 30 "$ferretdb" ping --listen-addr="127.0.0.1:$mongo_port" --no-auth --debug-addr=- \
		--state-dir="$dir/state" --telemetry=disable --log-level=error
}

# await NAME PID SECONDS COMMAND... repeats COMMAND until it succeeds; gives up when the process PID is gone.
await() {
	local name=$1 deadline=$((SECONDS + $3)) process
	process=$(identity "$2") || true
	shift 3
	until "$@" >/dev/null 2>&1 8>&- 9>&-; do
		if ! alive "$process" || ((SECONDS >= deadline)); then
			tail -n 5 "$dir/log/$name.log" | sed 's/^/    /' >&2
			die "$name does not answer; its log is $dir/log/$name.log"
		fi
		sleep 0.05
	done
}

# The front goes first, so that nobody sees it without its PostgreSQL. The death of PostgreSQL's first process takes all
# the others with it, since it is the first of its PID namespace.
kill_both() {
	local front back
	front=$(pid_of ferretdb) back=$(pid_of postgres)
	signal KILL "$front" "$back"
	gone 10 "$front" && gone 10 "$back" || die "cannot kill the server in $dir"
}

kill_one() {
	signal KILL "$(pid_of "$1")"
	gone 10 "$(pid_of "$1")" || die "cannot kill $1 in $dir"
}

# INT is what PostgreSQL calls a fast shutdown: it does not wait for clients.
stop() {
	signal TERM "$(pid_of watch)"
	signal TERM "$(pid_of ferretdb)"
	gone 5 "$(pid_of ferretdb)" || signal KILL "$(pid_of ferretdb)"
	signal INT "$(pid_of postgres)"
	gone 30 "$(pid_of postgres)" || kill_both
	rm -f "$dir"/{watch,ferretdb,postgres}.pid
}

status() {
	local name code=0
	for name in postgres ferretdb; do
		if alive "$(pid_of $name)"; then
			say "$name runs, process $(pid_of $name | cut -d' ' -f1)"
		else
			say "$name does not run"
			code=1
		fi
	done
	return $code
}

watch_parent() {
	[[ -n ${PRECOUNT_TEST_PARENT:-} ]] || return 0
	signal KILL "$(pid_of watch)"
	detached watch "$here/server.sh" watch "$dir" "$PRECOUNT_TEST_PARENT" "$(pid_of ferretdb)" "$(pid_of postgres)"
	identity $! >"$dir/watch.pid" || true
}

# watch PID IDENTITY... kills the processes when process PID has ended, or DIR is removed.
watch() {
	local parent
	parent=$(identity "$1") || true
	shift
	while alive "$parent" && [[ -d $dir ]]; do sleep 0.5; done
	signal KILL "$@"
}

usage() {
	sed -n '2,/^set -e/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
	exit 2
}

main() {
	local verb=${1:-}
	if [[ $verb == install ]]; then
		install_all
		return
	fi
	(($# >= 2)) || usage
	((EUID == 0)) || die "needs root"
	dir=$(readlink -m "$2")
	shift 2
	if [[ $verb == *start ]] && ! installed; then
		say "server.sh: not installed; run: $here/server.sh install"
		exit 3
	fi
	[[ $verb != start ]] || mkdir -p "$dir"
	if [[ ! -d $dir ]]; then
		[[ $verb == stop || $verb == kill* ]] || die "no such directory: $dir"
		return 0
	fi
	case $verb in
	start | restart) lock_dir && "$verb" "$@" ;;
	stop) lock_dir && stop ;;
	kill) lock_dir && kill_both ;;
	kill-front) lock_dir && kill_one ferretdb ;;
	kill-back) lock_dir && kill_one postgres ;;
	status) status ;;
	watch) watch "$@" ;;
	*) usage ;;
	esac
}

# One command at a time for each DIR.
lock_dir() { exec 8>"$dir/lock" && flock 8; }

main "$@"
