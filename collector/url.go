package collector

// splitURL returns the host (with its port, if any) and the path of an absolute http or https address, with the query
// and without the fragment. It looks only as closely as counting needs: host and path are checked where they are
// normalised. The path of an address without one is empty, or begins with its query. A url with credentials is refused: nothing that reads it
// should learn them.
func splitURL(url []byte) (host, path []byte, v Verdict) {
	rest, ok := cutScheme(url)
	if !ok {
		return nil, nil, BadParameter
	}
	end := len(rest)
	for i, c := range rest {
		if c == '/' || c == '?' || c == '#' {
			end = i
			break
		}
		if c == '@' {
			return nil, nil, BadParameter
		}
	}
	host, path = rest[:end], rest[end:]
	if len(host) == 0 {
		return nil, nil, BadSite
	}
	return host, path, Counted
}

func cutScheme(url []byte) (rest []byte, ok bool) {
	for _, scheme := range [...]string{"https://", "http://"} {
		if len(url) >= len(scheme) && equalFold(url[:len(scheme)], scheme) {
			return url[len(scheme):], true
		}
	}
	return nil, false
}

// equalFold compares ASCII letters without their case; lower is in lower case.
func equalFold(b []byte, lower string) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
