#!/bin/bash
# inroot.sh ROOT DATA PIDFILE COMMAND... runs COMMAND as user postgres inside ROOT, with DATA mounted on /srv/data.
#
# To be started with "unshare --mount --pid --ipc --fork": mounts, shared memory and child processes then belong to the
# namespaces of COMMAND and go with it, even by SIGKILL. Nothing is left to clean up, and "rm -rf ROOT" is always safe.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
source "$here/process.sh"

root=$1 data=$2 pidfile=$3
shift 3

# Before the new /proc is mounted, "self" has the process id that the caller sees; exec keeps it.
identity self >"$pidfile.new"
mv "$pidfile.new" "$pidfile"

mount --bind "$data" "$root/srv/data"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
for node in null zero urandom; do mount --bind "/dev/$node" "$root/dev/$node"; done # ROOT may be on a "nodev" mount

IFS=: read -r _ _ uid gid _ < <(grep ^postgres: "$root/etc/passwd")
exec chroot --userspec="+$uid:+$gid" --groups= "$root" "$@"
