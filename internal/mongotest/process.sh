# shellcheck shell=bash
# Process identities. A process id alone is not enough in a pid file: the kernel uses the number again, and a SIGKILL
# would hit a stranger. An identity is "PID STARTTIME", both from proc(5), /proc/PID/stat.

# identity PID|self prints the process's identity; fails if there is no such process, or only a zombie of it.
identity() {
	local stat fields
	read -r stat 2>/dev/null <"/proc/$1/stat" || return 1
	read -ra fields <<<"${stat##*) }" # what follows the command's name: state, ppid, ..., starttime is the 20th
	[[ ${fields[0]} != [ZX] ]] || return 1
	printf '%s %s\n' "${stat%% *}" "${fields[19]}"
}

# alive IDENTITY tells whether exactly that process still runs.
alive() {
	[[ -n $1 && $(identity "${1% *}") == "$1" ]]
} 2>/dev/null

# signal NAME IDENTITY... sends a signal to those of the processes that still run.
signal() {
	local name=$1 id
	shift
	for id; do
		if alive "$id"; then kill -s "$name" "${id% *}" 2>/dev/null || true; fi
	done
}

# gone SECONDS IDENTITY waits until the process has ended; fails after so many seconds.
gone() {
	local deadline=$((SECONDS + $1))
	while alive "$2"; do
		((SECONDS < deadline)) || return 1
		sleep 0.02
	done
}
