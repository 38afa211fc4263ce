# shellcheck shell=bash
# What "server.sh install" does. Each part is made under a temporary name and renamed when it is whole, so that an
# interrupted install is never taken for a finished one. To be sourced by server.sh.

ferretdb_version=v2.7.0
ferretdb=$cache/ferretdb-$ferretdb_version
root=$cache/postgresql-18-documentdb # a minimal Debian; in it srv/template is a cluster that has the extension already
pgbin=/usr/lib/postgresql/18/bin

preload=(-c shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb -c cron.database_name=postgres)

installed() { [[ -x $ferretdb && -d $root/srv/template ]]; }

install_all() {
	((EUID == 0)) || die "install needs root: it makes a Debian root (debootstrap) and namespaces (unshare)"
	unshare --mount --pid --ipc --fork true 2>/dev/null ||
		die "this machine does not allow namespaces (unshare); a container needs CAP_SYS_ADMIN"
	mkdir -p "$cache/ports"
	exec 9>"$cache/install.lock"
	if ! flock -n 9; then
		say "another install is at work, waiting for it"
		flock 9
	fi
	if installed; then
		say "already installed in $cache"
		return
	fi
	rm -rf --one-file-system "$cache"/new.*
	: >"$cache/install.log"
	[[ -x $ferretdb ]] || install_ferretdb
	[[ -d $root/srv/template ]] || install_root
	say "installed in $cache ($(du -sh "$cache" | cut -f1), $SECONDS s)"
}

# logged COMMAND... runs it with its output in the log; if it fails, says what it last said, and ends the script. The
# command keeps the lock open: should the script be killed, the next install waits until the command has ended too.
logged() {
	"$@" >>"$cache/install.log" 2>&1 </dev/null && return
	tail -n 5 "$cache/install.log" | sed 's/^/    /' >&2
	die "install failed; no network? The whole output is in $cache/install.log"
}

# A "go install" of a package with a version reads no go.mod but FerretDB's own, so the product's never knows of it.
install_ferretdb() {
	command -v go >/dev/null || die "no go in PATH, which is needed to build FerretDB"
	say "building FerretDB $ferretdb_version (about a minute)"
	local new=$cache/new.ferretdb
	(
		cd "$cache" # outside of any module and workspace
		export GOBIN=$new GOWORK=off GOFLAGS=-buildvcs=false CGO_ENABLED=0
		logged nice go install "github.com/FerretDB/FerretDB/v2/cmd/ferretdb@$ferretdb_version"
	)
	mv "$new/ferretdb" "$ferretdb"
	rmdir "$new"
}

install_root() {
	install_debootstrap
	say "fetching PostgreSQL 18 and DocumentDB from Debian sid (about a minute, 900 MB)"
	local new=$cache/new.root
	# shellcheck disable=SC2046 # no mirror is no argument, and debootstrap takes its own default
	logged unshare --mount nice debootstrap --variant=minbase --include=postgresql-18,postgresql-18-documentdb \
		sid "$new" $(debian_mirror)
	rm -rf "$new"/var/cache/apt/archives/*.deb "$new"/var/lib/apt/lists/*
	mkdir -p "$new/srv/data" "$new/dev/shm"
	touch "$new"/dev/{null,zero,urandom}

	say "preparing an empty cluster"
	install -d -m 700 -o "$(stat -c %u "$new/var/lib/postgresql")" -g "$(stat -c %g "$new/var/lib/postgresql")" \
		"$new/srv/cluster"
	logged in_root "$new" "$new/srv/cluster" "$cache/new.pid" \
		"$pgbin/initdb" --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions /srv/data
	logged create_extension "$new"
	mv "$new/srv/cluster" "$new/srv/template"
	rm -f "$cache/new.pid"
	mv "$new" "$root"
}

# In single-user mode, which needs no port.
create_extension() {
	in_root "$1" "$1/srv/cluster" "$cache/new.pid" "$pgbin/postgres" --single -j "${preload[@]}" -c fsync=off \
		-c exit_on_error=on -D /srv/data postgres < <(printf 'CREATE EXTENSION documentdb CASCADE;\n\n')
}

install_debootstrap() {
	command -v debootstrap >/dev/null && return
	command -v apt-get >/dev/null || die "neither debootstrap nor apt-get: install debootstrap first"
	say "installing debootstrap"
	logged apt-get update
	logged env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap
}

# debian_mirror prints where this machine's apt gets Debian from, or nothing if that is no Debian. A proxy must be in
# http_proxy: debootstrap fetches with wget, which knows nothing of apt's settings.
debian_mirror() {
	if [[ -n ${PRECOUNT_TEST_MIRROR:-} ]]; then
		printf '%s\n' "$PRECOUNT_TEST_MIRROR"
	elif command -v apt-get >/dev/null; then
		apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' |
			awk -F '|' '$1 == "Debian" && $2 == "Debian" && $3 ~ /^https?:/ { print $3; exit }'
	fi
}

# in_root ROOT DATA PIDFILE COMMAND... runs COMMAND as postgres in ROOT, in namespaces of its own.
in_root() { unshare --mount --pid --ipc --fork "$here/inroot.sh" "$@"; }
