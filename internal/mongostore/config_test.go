package mongostore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"precount/internal/counters"
	"precount/internal/mongotest"
	"precount/internal/storetest"
)

func TestWrongURIsFailAtOnce(t *testing.T) {
	for name, c := range map[string]struct{ uri, want string }{
		"none":               {"", "no URI is given"},
		"not a URI":          {"stats", "not a URI"},
		"another scheme":     {"http://db:27017/", "scheme"},
		"no host":            {"mongodb:///", "URI is wrong"},
		"port":               {"mongodb://db:99999/", "port"},
		"misspelled option":  {"mongodb://db/?timeoutMs=5&writeConcer=1", "unknown option writeconcer"},
		"option's value":     {"mongodb://db/?timeoutMS=soon", "timeoutMS"},
		"no acknowledgement": {"mongodb://db/?w=0", "w=0"},
		"CA file":            {"mongodb://db/?tls=true&tlsCAFile=/nonexistent.pem", "nonexistent.pem"},
		"@ in password":      {"mongodb://root:sec@ret/@db/", "percent-encode"},
		"% in password":      {"mongodb://root:secret%zz@db/", "percent-encode"},
		"option, password":   {"mongodb://root:secret@db/?nonsense=1", "unknown option nonsense"},
		"mechanism":          {"mongodb://root:secret@db/?authMechanism=NONE", "URI is wrong"},
	} {
		_, err := Open(ctx, Options{URI: c.uri})
		if err == nil || !errors.Is(err, ErrConfiguration) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
		checkLine(t, name, err)
	}
}

// checkLine holds what is promised of every error's text.
func checkLine(t *testing.T, name string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	text := err.Error()
	for _, secret := range []string{"secret", "sec@ret", "ret/", "root", "\n"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s: error has %q in it: %s", name, secret, text)
		}
	}
	if !strings.HasPrefix(text, "mongodb") || len(text) > 900 {
		t.Errorf("%s: error does not begin with the address, or is long: %s", name, text)
	}
}

func TestUnreachableServersAreWaitedFor(t *testing.T) {
	const hurry = "?serverSelectionTimeoutMS=300&connectTimeoutMS=300"
	for name, c := range map[string]struct{ uri, want string }{
		"no such host": {"mongodb://root:secret@no-such-host.invalid:27017/" + hurry, "cannot be reached"},
		"wrong port":   {"mongodb://root:secret@127.0.0.1:1/" + hurry, "connection refused"},
		"two hosts":    {"mongodb://127.0.0.1:1,127.0.0.1:2/" + hurry, "127.0.0.1:1,127.0.0.1:2"},
	} {
		s := open(t, c.uri)
		begin := time.Now()
		for what, call := range map[string]func() error{
			"Check": func() error { return s.Check(ctx) },
			"Ping":  func() error { return s.Ping(ctx) },
			"Apply": func() error { return s.Apply(ctx, batch("a", 1, storetest.PageUpdates(nov26, 1, 1))) },
		} {
			err := call()
			if err == nil || errors.Is(err, ErrConfiguration) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error is %v, want one with %q", name, what, err, c.want)
			}
			checkLine(t, name, err)
		}
		if time.Since(begin) > 5*time.Second {
			t.Errorf("%s: took %v", name, time.Since(begin))
		}
	}
}

// command returns the name of a command.
func command(raw bson.Raw) string {
	elements, err := raw.Elements()
	if err != nil || len(elements) == 0 {
		return ""
	}
	return elements[0].Key()
}

func ok(more ...bson.E) bson.D { return append(bson.D{{Key: "ok", Value: 1}}, more...) }

func failure(code int32, text string) bson.D {
	return bson.D{{Key: "ok", Value: 0}, {Key: "code", Value: code}, {Key: "errmsg", Value: text}}
}

// aPrimary is what hello says of a good server, but for what is given.
func aPrimary(more ...bson.E) bson.D {
	hello := bson.M{"ismaster": true, "isWritablePrimary": true, "maxBsonObjectSize": 16 << 20, "maxMessageSizeBytes": 48_000_000,
		"maxWriteBatchSize": 100_000, "minWireVersion": 0, "maxWireVersion": 21, "ok": 1}
	for _, e := range more {
		hello[e.Key] = e.Value
	}
	var d bson.D
	for key, value := range hello {
		d = append(d, bson.E{Key: key, Value: value})
	}
	return d
}

func TestCheck(t *testing.T) {
	const withUser = "root:secret@"
	for name, c := range map[string]struct {
		user    string
		options string
		hello   bson.D
		other   bson.D // the answer to all other commands
		want    string // "" if all is well
	}{
		"good":                        {hello: aPrimary(), other: ok(bson.E{Key: "n", Value: 0})},
		"too old":                     {hello: aPrimary(bson.E{Key: "maxWireVersion", Value: 7}), want: "too old"},
		"too old, said by the server": {hello: aPrimary(bson.E{Key: "maxWireVersion", Value: 8}), want: "MongoDB 4.4"},
		"secondary": {options: "?directConnection=true", want: "secondary",
			hello: aPrimary(bson.E{Key: "ismaster", Value: false}, bson.E{Key: "isWritablePrimary", Value: false},
				bson.E{Key: "secondary", Value: true}, bson.E{Key: "setName", Value: "rs0"})},
		"wrong password": {user: withUser, options: "?authMechanism=PLAIN&authSource=$external", hello: aPrimary(),
			other: failure(18, "Authentication failed for root with secret"), want: "user or password is wrong"},
		"no rights": {hello: aPrimary(), other: failure(13, "not authorized on precount to execute command { update: \"jobs\" }"),
			want: "grant readWrite"},
		"TLS against plain": {options: "?tls=true", hello: aPrimary(), want: "does not talk TLS"},
	} {
		uri := mongotest.StartFake(t, func(raw bson.Raw) bson.D {
			switch command(raw) {
			case "hello", "isMaster", "ismaster":
				return c.hello
			}
			return c.other
		})
		options := "?serverSelectionTimeoutMS=500"
		if c.options != "" {
			options = c.options + "&serverSelectionTimeoutMS=500"
		}
		s := open(t, strings.Replace(uri, "://", "://"+c.user, 1)+options)
		err := s.Check(ctx)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !errors.Is(err, ErrConfiguration)) ||
			err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want %q", name, err, c.want)
		}
		checkLine(t, name, err)
	}
}

func TestTLSOnOneSide(t *testing.T) {
	hello := func(bson.Raw) bson.D { return aPrimary() }
	wants := mongotest.StartFakeTLS(t, hello)
	for name, c := range map[string]struct{ uri, want string }{
		"the server's":        {wants + "?", "add tls=true"},
		"unknown certificate": {wants + "?tls=true&", "tlsCAFile"},
		"the client's":        {mongotest.StartFake(t, hello) + "?tls=true&", "does not talk TLS"},
	} {
		err := open(t, c.uri+"serverSelectionTimeoutMS=500").Check(ctx)
		if !errors.Is(err, ErrConfiguration) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
		checkLine(t, name, err)
	}
	s := open(t, mongotest.Start(t).URI+"?tls=true&serverSelectionTimeoutMS=500")
	if err := s.Check(ctx); !errors.Is(err, ErrConfiguration) || !strings.Contains(err.Error(), "does not talk TLS") {
		t.Errorf("a real server without TLS: error is %v", err)
	}
}

func TestCheckOfARealServer(t *testing.T) {
	s := open(t, mongotest.Start(t).URI)
	if err := s.Check(ctx); err != nil {
		t.Fatal(err)
	}
	if router, err := s.IsRouter(ctx); router || err != nil {
		t.Errorf("router %v, error %v", router, err)
	}
	if all, err := s.Collections(ctx); len(all) > 0 || err != nil {
		t.Errorf("Check made %v, error %v", all, err)
	}
	if records, err := s.List(ctx, counters.JobsRecords); len(records) > 0 || err != nil {
		t.Errorf("Check made %v, error %v", records, err)
	}
}

func TestRouterIsKnownByItsHello(t *testing.T) {
	uri := mongotest.StartFake(t, func(bson.Raw) bson.D { return aPrimary(bson.E{Key: "msg", Value: "isdbgrid"}) })
	if router, err := open(t, uri).IsRouter(ctx); !router || err != nil {
		t.Errorf("router %v, error %v", router, err)
	}
}

// TestSilentServer: a server that takes the connection and says nothing must not hold anybody up for ever.
func TestSilentServer(t *testing.T) {
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	uri := mongotest.StartFake(t, func(raw bson.Raw) bson.D {
		if name := command(raw); name != "hello" && name != "isMaster" && name != "ismaster" {
			<-hang
		}
		return aPrimary()
	})
	s := open(t, uri+"?timeoutMS=200&serverSelectionTimeoutMS=200")
	begin := time.Now()
	err := s.Apply(context.Background(), batch("a", 1, storetest.PageUpdates(nov26, 1, 1)))
	if err == nil || errors.Is(err, ErrConfiguration) || time.Since(begin) > 10*time.Second {
		t.Errorf("after %v: error is %v", time.Since(begin), err)
	}
	checkLine(t, "silent", err)
}

func TestWriteConcern(t *testing.T) {
	for uri, want := range map[string]string{
		"mongodb://db/":                     `{"w":"majority","j":true}`,
		"mongodb://db/?w=majority":          `{"w":"majority","j":true}`,
		"mongodb://db/?w=1":                 `{"w":1,"j":true}`,
		"mongodb://db/?journal=false":       `{"w":"majority","j":false}`,
		"mongodb://db/?w=eu&journal=true":   `{"w":"eu","j":true}`,
		"mongodb://db/?w=2&timeoutMS=60000": `{"w":2,"j":true}`,
	} {
		c, err := parseURI(uri)
		if err != nil {
			t.Errorf("%s: %v", uri, err)
			continue
		}
		got, _ := bson.MarshalExtJSON(bson.D{{Key: "w", Value: c.client.WriteConcern.W},
			{Key: "j", Value: *c.client.WriteConcern.Journal}}, false, false)
		if string(got) != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}
