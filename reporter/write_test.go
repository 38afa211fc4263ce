package reporter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	f, berlin, newYork := twoSites(t)
	for _, test := range []struct {
		name   string
		params Params
	}{
		{"week", Params{From: "7d"}},
		{"months", Params{From: "12mo", By: "month"}},
		{"hours", Params{From: "2026-10-25", To: "2026-10-25", By: "hour"}},
		{"section", Params{From: "3d", Prefix: "/docs/"}},
		{"nothing", Params{From: "2026-01-05", To: "2026-01-06"}},
	} {
		q, err := test.params.Query(now, berlin.Location())
		if err != nil {
			t.Fatal(err)
		}
		r, err := Compile(t.Context(), f.store, berlin, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, format := range []Format{Table, JSON, CSV} {
			t.Run(test.name+"."+string(format), func(t *testing.T) {
				var out bytes.Buffer
				if err := Write(&out, format, r); err != nil {
					t.Fatal(err)
				}
				golden(t, out.Bytes())
			})
		}
	}
	t.Run("unknown format", func(t *testing.T) {
		var refusal *Refusal
		err := Write(nil, "pdf", Report{})
		if !errors.As(err, &refusal) || refusal.Code != BadFormat || !strings.Contains(err.Error(), "table, json, csv, html") {
			t.Error(err)
		}
	})
	_ = newYork
}

func TestWriteHTML(t *testing.T) {
	f, berlin, _ := twoSites(t)
	q, err := Params{From: "7d"}.Query(now, berlin.Location())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compile(t.Context(), f.store, berlin, q)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, HTML, r); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, bad := range []string{evilPath, "<script>alert(1)", `href="/`, `src="/`, "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"1,568 views", "Content-Security-Policy", "chart-options"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}

func TestDisarm(t *testing.T) {
	for in, want := range map[string]string{
		"/docs/":      "/docs/",
		"=1+1":        "'=1+1",
		"-x.example":  "'-x.example",
		"+1":          "'+1",
		"@a":          "'@a",
		"\t=1":        "\t'=1",
		"＝1":          "'＝1",
		`/a;"=1+1`:    `/a;"'=1+1`,
		"/a;b=c":      "/a;b=c",
		"/a\n=1":      "/a\n'=1",
		"/a-b+c=d@e,": "/a-b+c=d@e,",
		"2026-11-20":  "2026-11-20",
	} {
		if got := disarm(in); got != want {
			t.Errorf("disarm(%q) is %q, want %q", in, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, test := range []struct {
		views, most int64
		want        string
	}{{0, 10, ""}, {0, 0, ""}, {10, 10, strings.Repeat("█", 40)}, {5, 10, strings.Repeat("█", 20)}, {1, 1 << 40, "▏"}, {1, 320, "▏"}, {7, 320, "▉"}, {9, 320, "█▏"}} {
		if got := bar(test.views, test.most); got != test.want {
			t.Errorf("bar(%d, %d) is %q, want %q", test.views, test.most, got, test.want)
		}
	}
}
