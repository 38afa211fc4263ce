package reporter

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestParamsRefuses(t *testing.T) {
	for _, test := range []struct {
		name   string
		params Params
		code   Code
		want   string
	}{
		{"by", Params{By: "week"}, BadBy, `by="week": want day, hour or month`},
		{"limit word", Params{Limit: "many"}, BadLimit, `limit="many"`},
		{"limit 0", Params{Limit: "0"}, BadLimit, "from 1 to 100000"},
		{"limit negative", Params{Limit: "-1"}, BadLimit, "from 1 to 100000"},
		{"limit beyond", Params{Limit: "100001"}, BadLimit, "from 1 to 100000"},
		{"limit overflow", Params{Limit: "99999999999999999999"}, BadLimit, "from 1 to 100000"},
		{"prefix without slash", Params{Prefix: "docs/"}, BadPrefix, `prefix="docs/"`},
		{"prefix with control", Params{Prefix: "/\x00"}, BadPrefix, `prefix="/\x00"`},
		{"prefix not UTF-8", Params{Prefix: "/\xff"}, BadPrefix, `prefix="/\xff"`},
		{"prefix too long", Params{Prefix: "/" + strings.Repeat("x", 1024)}, BadPrefix, "1025 bytes"},
		{"hours of a section", Params{By: "hour", Prefix: "/docs/"}, BadBy, "hours are not kept per section"},
		{"hours of a year", Params{By: "hour", From: "12mo"}, BadRange, "at most 92 days"},
		{"range", Params{From: "x"}, BadRange, `from="x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.params.Query(now, time.UTC)
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Code != test.code || !strings.Contains(refusal.Message, test.want) {
				t.Errorf("got %v; want %s with %q", err, test.code, test.want)
			}
		})
	}
}

func FuzzParams(f *testing.F) {
	f.Add("30d", "", "day", "/docs/", "20")
	f.Add("12mo", "2026-11", "hour", "/", "100000")
	f.Add("", "", "month", "/\u202e", "-0")
	f.Fuzz(func(t *testing.T, from, to, by, prefix, limit string) {
		q, err := Params{from, to, by, prefix, limit}.Query(now, time.UTC)
		if err != nil {
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Status() != 400 {
				t.Fatalf("%v is no refusal of a parameter", err)
			}
			return
		}
		if q.Limit < 0 || q.Limit > MaxLimit || q.By == "" || q.By == ByHour && q.Range.Days() > MaxHourDays {
			t.Fatalf("accepted %+v", q)
		}
		if q.Prefix != "" && depth(q.Prefix) < 0 {
			t.Fatalf("depth of %q is %d", q.Prefix, depth(q.Prefix))
		}
	})
}
