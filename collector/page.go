package collector

import "unicode/utf8"

// MaxPath is the length in bytes of the longest path counted, in the spelling in which it is stored.
const MaxPath = 1024

// otherPath stands for all pages, or sections, beyond a site's cap.
const otherPath = "/(other)"

// appendPath appends the one spelling of a page's path: as it stands in the page's address, without fragment, and
// without query but for the parameters in keep. Control characters and invalid UTF-8 are percent-encoded; what was
// percent-encoded in the address stays so. dst needs three bytes of room for each byte of path, or it is allocated anew.
func appendPath(dst, path []byte, keep []string) ([]byte, Verdict) {
	if len(path) == 0 || path[0] != '/' {
		return dst, BadPath
	}
	path, _ = cut(path, '#')
	path, query := cut(path, '?')
	start := len(dst)
	dst = appendText(dst, path)
	for separator, i := byte('?'), 0; i < len(keep); i++ {
		if pair := findPair(query, keep[i]); pair != nil {
			dst = appendText(append(dst, separator), pair)
			separator = '&'
		}
	}
	if len(dst)-start > MaxPath {
		return dst[:start], TooLong
	}
	return dst, Counted
}

// findPair returns the first "name=value" or "name" of the query, or nil.
func findPair(query []byte, name string) []byte {
	for len(query) > 0 {
		var pair []byte
		pair, query = cut(query, '&')
		if key, _ := cut(pair, '='); string(key) == name {
			return pair
		}
	}
	return nil
}

// appendText appends s with control characters (also those of U+0080 to U+009F) and bytes that are not UTF-8
// percent-encoded.
func appendText(dst, s []byte) []byte {
	for {
		plain := 0
		for plain < len(s) && 0x20 <= s[plain] && s[plain] < 0x7f {
			plain++
		}
		dst, s = append(dst, s[:plain]...), s[plain:]
		if len(s) == 0 {
			return dst
		}
		r, size := utf8.DecodeRune(s)
		if r == utf8.RuneError && size == 1 || r < 0x20 || 0x7f <= r && r < 0xa0 {
			for _, c := range s[:size] {
				dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
			}
		} else {
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
}

const hexDigits = "0123456789ABCDEF"

// depthOf returns how many sections beside "/" hold the page: the number of slashes after the first one and before a
// query, at most limit.
func depthOf[T string | []byte](path T, limit int) int {
	depth := 0
	for i := 1; i < len(path); i++ {
		c := path[i]
		if c == '?' || depth == limit {
			break
		}
		if c == '/' {
			depth++
		}
	}
	return depth
}
