package sites

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// ErrBadHost says that a text is not the name of a host.
var ErrBadHost = errors.New("not a host name")

const maxHost = 253 // RFC 1035, section 2.3.4, without the final dot

// Canonical returns the one name of the site that host belongs to: lower case, punycode, without port, final dot and
// "www.". IP addresses (IPv6 in brackets) and localhost stay as they are.
func Canonical(host string) (string, error) {
	name, err := AppendCanonical(nil, []byte(host))
	if err != nil {
		return "", fmt.Errorf("host %.80q: %w", host, err)
	}
	return string(name), nil
}

// AppendCanonical appends Canonical(host) to dst. It does not allocate for ASCII names if dst has the room.
func AppendCanonical(dst, host []byte) ([]byte, error) {
	if len(host) > 2*maxHost {
		return dst, ErrBadHost
	}
	if len(host) > 0 && host[0] == '[' {
		return appendIPv6(dst, string(host))
	}
	name, ok := cutPort(host)
	if !ok {
		return dst, ErrBadHost
	}
	for _, c := range name {
		if c >= 0x80 {
			return appendUnicode(dst, string(name))
		}
	}
	return appendASCII(dst, name)
}

func appendASCII(dst, name []byte) ([]byte, error) {
	if n := len(name); n > 0 && name[n-1] == '.' {
		name = name[:n-1]
	}
	for hasWWW(name) { // all of them, so that a canonical name stays as it is
		name = name[len("www."):]
	}
	if len(name) == 0 || len(name) > maxHost {
		return dst, ErrBadHost
	}
	start, label := len(dst), 0
	for _, c := range name {
		switch {
		case c == '.':
			if label == 0 || label > 63 {
				return dst[:start], ErrBadHost
			}
			label = -1
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return dst[:start], ErrBadHost
		}
		label++
		dst = append(dst, c)
	}
	if label == 0 || label > 63 {
		return dst[:start], ErrBadHost
	}
	return dst, nil
}

// hasWWW reports whether name begins with "www." and more than a top-level domain follows.
func hasWWW(name []byte) bool {
	if len(name) < len("www.a.b") || name[3] != '.' {
		return false
	}
	for _, c := range name[:3] {
		if c|0x20 != 'w' {
			return false
		}
	}
	for _, c := range name[4:] {
		if c == '.' {
			return true
		}
	}
	return false
}

func cutPort(host []byte) (name []byte, ok bool) {
	for i, c := range host {
		if c == ':' {
			return host[:i], isPort(host[i+1:])
		}
	}
	return host, true
}

func isPort(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(b) <= 5
}

func appendIPv6(dst []byte, host string) ([]byte, error) {
	inside, port, ok := strings.Cut(host[1:], "]")
	ip, err := netip.ParseAddr(inside)
	if !ok || err != nil || ip.Zone() != "" || port != "" && (port[0] != ':' || !isPort([]byte(port[1:]))) {
		return dst, ErrBadHost
	}
	return append(append(append(dst, '['), ip.String()...), ']'), nil
}

func appendUnicode(dst []byte, name string) ([]byte, error) {
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil || !utf8.ValidString(name) { // idna takes a broken byte for U+FFFD
		return dst, ErrBadHost
	}
	return appendASCII(dst, []byte(ascii))
}

// Base returns the canonical host with its labels in reverse order: "docs.mongodb.org" -> "org.mongodb.docs".
func Base(host string) string {
	if _, err := netip.ParseAddr(host); err == nil || strings.HasPrefix(host, "[") {
		return host
	}
	labels := strings.Split(host, ".")
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, ".")
}
