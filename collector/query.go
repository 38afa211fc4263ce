package collector

import (
	"bytes"

	"precount/pixel"
)

// A query is the parameters that name the page, decoded; the values stand in the scratch buffer they were parsed into.
// A parameter that is absent is nil, an empty one is not.
type query struct {
	base, host, path, url []byte
	event                 []byte // its name; such a hit is no view
}

// parseQuery reads the raw query of a request, form-encoded as browsers do it (WHATWG URL, section 5.1): "+" is a space.
// Unlike there, a percent sign without two hexadecimal digits is an error. It appends what it decodes to buf and returns it;
// it does not allocate if buf has len(raw) bytes of room.
func parseQuery(raw, buf []byte) (query, []byte, Verdict) {
	var q query
	for len(raw) > 0 {
		var pair []byte
		pair, raw = cut(raw, '&')
		name, value := cut(pair, '=')
		to, bad := q.parameter(name)
		if to == nil {
			continue
		}
		if *to != nil {
			return q, buf, BadParameter
		}
		start := len(buf)
		var ok bool
		if buf, ok = appendDecoded(buf, value); !ok {
			return q, buf, bad
		}
		*to = buf[start:len(buf):len(buf)]
	}
	return q, buf, Counted
}

// parameter returns where the value of a parameter belongs, or nil for one that is not looked at, and the verdict
// on a hit in which it is badly encoded.
func (q *query) parameter(name []byte) (*[]byte, Verdict) {
	switch string(name) {
	case pixel.ParamBase:
		return &q.base, BadSite
	case pixel.ParamHost:
		return &q.host, BadSite
	case pixel.ParamPath:
		return &q.path, BadPath
	case pixel.ParamURL:
		return &q.url, BadPath
	case pixel.ParamEvent:
		return &q.event, BadParameter
	}
	return nil, Counted
}

// cut returns what stands before and after the first sep; without a sep all is before.
func cut(b []byte, sep byte) (before, after []byte) {
	if i := bytes.IndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// appendDecoded appends the form-decoded value to dst. The result is not nil, even if value is empty and dst is nil.
func appendDecoded(dst, value []byte) ([]byte, bool) {
	start := len(dst)
	dst = append(dst, value...)
	if dst == nil {
		dst = []byte{}
	}
	to := start // what is decoded takes no more room than what it is decoded from
	for from := start; from < len(dst); from++ {
		c := dst[from]
		switch c {
		case '+':
			c = ' '
		case '%':
			if from+2 >= len(dst) {
				return dst[:start], false
			}
			high, low := unhex[dst[from+1]], unhex[dst[from+2]]
			if high|low > 15 {
				return dst[:start], false
			}
			c = high<<4 | low
			from += 2
		}
		dst[to] = c
		to++
	}
	return dst[:to], true
}

// unhex holds the value of each hexadecimal digit, and 255 for other bytes.
var unhex = func() (table [256]byte) {
	for i := range table {
		table[i] = 255
	}
	for i := range 10 {
		table['0'+i] = byte(i)
	}
	for i := range 6 {
		table['a'+i], table['A'+i] = byte(10+i), byte(10+i)
	}
	return table
}()
