package sites

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct{ in, want, base string }{
		{"mongodb.org", "mongodb.org", "org.mongodb"},
		{"docs.MongoDB.org", "docs.mongodb.org", "org.mongodb.docs"},
		{"www.mongodb.org", "mongodb.org", "org.mongodb"},
		{"WWW.MongoDB.org.:443", "mongodb.org", "org.mongodb"},
		{"www.org", "www.org", "org.www"},
		{"www.www.mongodb.org", "mongodb.org", "org.mongodb"},
		{"wwwx.mongodb.org", "wwwx.mongodb.org", "org.mongodb.wwwx"},
		{"münchen.de", "xn--mnchen-3ya.de", "de.xn--mnchen-3ya"},
		{"WWW.MÜNCHEN.DE", "xn--mnchen-3ya.de", "de.xn--mnchen-3ya"},
		{"localhost:8080", "localhost", "localhost"},
		{"127.0.0.1:80", "127.0.0.1", "127.0.0.1"},
		{"[::1]:8080", "[::1]", "[::1]"},
		{"[2001:DB8::0:1]", "[2001:db8::1]", "[2001:db8::1]"},
		{"my_host", "my_host", "my_host"},
		{long + ".org", long + ".org", "org." + long},
	} {
		got, err := Canonical(c.in)
		if err != nil || got != c.want || Base(got) != c.base {
			t.Errorf("%q: host %q, base %q, %v; want %q, %q", c.in, got, Base(got), err, c.want, c.base)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, in := range []string{"", ".", "..", "a..b", ".a", "a b", "a/b", "a|b", "http://a", "a:x", "a:123456", "user@host", "[::1", "[x]",
		"[::1]x", "[fe80::1%eth0]", strings.Repeat("a", 64) + ".org", strings.Repeat("a.", 127) + "org", strings.Repeat("a", 600), "a\x00b", "\xff.org"} {
		if got, err := Canonical(in); err == nil {
			t.Errorf("%.40q was taken for the host %q", in, got)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("WWW.MongoDB.org.:443")
	f.Add("[::1]:80")
	f.Add("www.www.a.b")
	f.Add("münchen.de")
	f.Fuzz(func(t *testing.T, host string) {
		name, err := Canonical(host)
		if err != nil {
			return
		}
		again, err := Canonical(name)
		if err != nil || again != name {
			t.Errorf("%q became %q, and that %q, %v", host, name, again, err)
		}
		if base := Base(name); strings.ContainsAny(base, "/|") || base == "" || len(base) > maxHost {
			t.Errorf("%q has the base %q", host, base)
		}
	})
}

func TestCanonicalDoesNotAllocate(t *testing.T) {
	dst, host := make([]byte, 0, 256), []byte("www.Example.org:8080")
	if n := testing.AllocsPerRun(100, func() { dst, _ = AppendCanonical(dst[:0], host) }); n != 0 {
		t.Errorf("%v allocations for a host", n)
	}
}
