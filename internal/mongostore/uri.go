package mongostore

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/connstring"
)

// What holds unless the URI says otherwise.
const (
	defaultSelection = 10 * time.Second // serverSelectionTimeoutMS, connectTimeoutMS
	defaultOperation = 30 * time.Second // timeoutMS
)

// A config is what is known from the URI alone.
type config struct {
	client           *options.ClientOptions
	address          string // for messages: the hosts, never the user
	operationTimeout time.Duration
	secrets          []string
	hosts            []string
}

// parseURI reads a URI strictly: the driver ignores options that it does not know, and a misspelled write concern or
// time-out would be found out in the first outage.
func parseURI(uri string) (*config, error) {
	if uri == "" {
		return nil, wrongURI("mongodb", "no URI is given; want mongodb://host:27017/ or mongodb+srv://host/")
	}
	address := addressOf(uri)
	if ambiguous(uri) {
		return nil, wrongURI(address, badUser)
	}
	parsed, err := connstring.ParseAndValidate(uri)
	if err != nil {
		return nil, wrongURI(address, uriReason(uri, err))
	}
	address = "mongodb " + strings.Join(parsed.Hosts, ",")
	if unknown := slices.Sorted(maps.Keys(parsed.UnknownOptions)); len(unknown) > 0 {
		return nil, wrongURI(address, "unknown option "+strings.Join(unknown, ", ")+"; check its spelling")
	}
	c := &config{address: address, operationTimeout: defaultOperation, hosts: parsed.Hosts,
		secrets: secretsOf(parsed)}
	c.client = options.Client().ApplyURI(uri)
	if parsed.TimeoutSet {
		c.operationTimeout = parsed.Timeout
	}
	if !parsed.ServerSelectionTimeoutSet {
		c.client.SetServerSelectionTimeout(defaultSelection)
	}
	if !parsed.ConnectTimeoutSet {
		c.client.SetConnectTimeout(defaultSelection)
	}
	if parsed.AppName == "" {
		c.client.SetAppName("precount")
	}
	if c.client.WriteConcern, err = concern(parsed); err != nil {
		return nil, wrongURI(address, err.Error())
	}
	if err := c.client.Validate(); err != nil {
		return nil, wrongURI(address, c.redact(oneLine(err.Error())))
	}
	return c, nil
}

// concern makes an acknowledgement mean "on disk, on a majority of the members": what a batch is released for must not
// be rolled back by an election. A URI may ask for less, but not for no acknowledgement at all.
func concern(parsed *connstring.ConnString) (*writeconcern.WriteConcern, error) {
	wc := &writeconcern.WriteConcern{W: writeconcern.WCMajority}
	if parsed.WNumberSet {
		wc.W = parsed.WNumber
	} else if parsed.WString != "" {
		wc.W = parsed.WString
	}
	if wc.W == 0 {
		return nil, fmt.Errorf("w=0 asks for no acknowledgement, so nothing could be counted exactly once; leave it out")
	}
	journal := true
	if parsed.JSet {
		journal = parsed.J
	}
	wc.Journal = &journal
	return wc, nil
}

// addressOf returns the hosts as they stand in a URI that cannot be parsed. What is before the last @ may be a password
// with an @ in it.
func addressOf(uri string) string {
	_, rest, found := strings.Cut(uri, "://")
	if !found {
		return "mongodb"
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSpace("mongodb " + rest)
}

// uriReason says why a URI cannot be parsed, without any part of the user or password: the driver quotes pieces of the
// text that it fails at. So it is parsed again without them; if that works, they are what is wrong.
func uriReason(uri string, err error) string {
	scheme, rest, found := strings.Cut(uri, "://")
	if !found {
		return "not a URI; want mongodb://host:27017/ or mongodb+srv://host/"
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return oneLine(err.Error())
	}
	if _, err := connstring.ParseAndValidate(scheme + "://user:password@" + rest[at+1:]); err != nil {
		return oneLine(err.Error())
	}
	return badUser
}

const badUser = "user or password cannot be read; percent-encode : / ? # [ ] @ % in them"

// ambiguous reports whether an @ of the password may have been taken for the one that ends it: the driver takes the
// first, and would take what follows for the host's name.
func ambiguous(uri string) bool {
	before, _, _ := strings.Cut(uri, "?")
	return strings.Count(before, "@") > 1
}

func secretsOf(parsed *connstring.ConnString) (secrets []string) {
	for _, s := range []string{parsed.Password, parsed.Username} {
		if s != "" {
			secrets = append(secrets, s, url.QueryEscape(s), url.PathEscape(s))
		}
	}
	return secrets
}

// redact takes the user and the password out of a text of the driver or the server.
func (c *config) redact(text string) string {
	for _, secret := range c.secrets {
		text = strings.ReplaceAll(text, secret, "***")
	}
	return text
}
