# shellcheck shell=bash
# Ports that stay with a server while it is down, so that a restart finds them free. A claim is a file with the port's
# name and the server's DIR in it; it holds as long as DIR/ports exists and names the port. To be sourced by server.sh.

# claim_ports DIR [PORT] writes two ports to DIR/ports, the first of them PORT if that is given.
claim_ports() (
	mkdir -p "$cache/ports"
	exec 9>"$cache/ports/lock"
	flock 9
	local first=${2:-} second claim
	for claim in "$cache"/ports/[0-9]*; do
		claimed "${claim##*/}" || rm -f "$claim"
	done
	if [[ -z $first ]]; then
		first=$(free_port)
	elif listened "$first"; then
		die "port $first is in use"
	fi
	printf '%s\n' "$1" >"$cache/ports/$first"
	second=$(free_port)
	printf '%s\n' "$1" >"$cache/ports/$second"
	printf '%s %s\n' "$first" "$second" >"$1/ports"
)

# Below 32768, from where on Linux takes the ports of outgoing connections.
free_port() {
	local port
	while port=$((20000 + RANDOM % 12000)); do
		if ! listened $port && ! claimed $port; then
			printf '%s\n' $port
			return
		fi
	done
}

listened() { grep -q "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$1") " /proc/net/tcp /proc/net/tcp6; }

claimed() {
	local dir
	dir=$(cat "$cache/ports/$1" 2>/dev/null) || return 1
	grep -qw "$1" "$dir/ports" 2>/dev/null
}
