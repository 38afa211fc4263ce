package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver/topology"
)

// ErrConfiguration says that waiting does not help: the URI, the user's rights or the server itself must be changed.
// All other errors of operations may go away by themselves.
var ErrConfiguration = errors.New("the configuration is wrong")

// A storeError is an error whose text already names the server and the next step.
type storeError struct {
	text string
	err  error
}

func (e *storeError) Error() string { return e.text }
func (e *storeError) Unwrap() error { return e.err }

func wrongURI(address, reason string) error {
	return &storeError{fmt.Sprintf("%s: the URI is wrong: %s", address, reason), ErrConfiguration}
}

// explain turns an error into one line that names the server and, where it can, says what to do. ctx is the caller's: if
// that has ended, its error is the reason, whatever the driver makes of it. An error that is explained stays as it is.
func (s *Store) explain(ctx context.Context, err error) error {
	var explained *storeError
	if err == nil || errors.As(err, &explained) {
		return err
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return &storeError{fmt.Sprintf("%s: %v", s.config.address, ctxErr), ctxErr}
	}
	reason, permanent := describe(err)
	if permanent {
		err = fmt.Errorf("%w: %w", ErrConfiguration, err)
	}
	return &storeError{fmt.Sprintf("%s: %s", s.config.address, s.config.redact(short(reason))), err}
}

// Codes of https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
const (
	codeUnauthorized         = 13
	codeAuthenticationFailed = 18
	codeNamespaceNotFound    = 26
	codeCursorNotFound       = 43
	codeNamespaceExists      = 48
	codeCursorKilled         = 237
	codeNotPrimary           = 10107
	codeDuplicateKey         = 11000
	codeNotPrimaryNoRead     = 13435
)

// describe says in one line what is wrong and what to do, and whether only somebody's intervention helps.
func describe(err error) (reason string, permanent bool) {
	text := err.Error()
	var selection topology.ServerSelectionError
	if errors.As(err, &selection) {
		text = lastError(selection)
	}
	switch {
	case hasCode(err, codeAuthenticationFailed) || strings.Contains(text, "auth error"):
		return fmt.Sprintf("user or password is wrong, or authSource (%s): check them in the URI", text), true
	case hasCode(err, codeUnauthorized):
		return fmt.Sprintf("the user's rights do not suffice (%s): grant readWrite on precount and on each stats-YYYY, "+
			"or readWriteAnyDatabase", text), true
	case strings.Contains(text, "wire version"):
		return fmt.Sprintf("the server is too old or too new (%s): use MongoDB %s or later", text,
			topology.MinSupportedMongoDBVersion), true
	case strings.Contains(text, "tls: ") || strings.Contains(text, "x509: "):
		return fmt.Sprintf("TLS does not come about (%s): check tls=true|false and tlsCAFile in the URI", text), true
	case hasCode(err, codeNotPrimary) || hasCode(err, codeNotPrimaryNoRead):
		return notPrimary, false
	case errors.As(err, &selection):
		return fmt.Sprintf("cannot be reached (%s): is it running, is the address right?", text), false
	case errors.Is(err, context.DeadlineExceeded) || mongo.IsTimeout(err):
		return fmt.Sprintf("no answer in time (%s)", text), false
	}
	return text, false
}

const notPrimary = "the server is read-only, a secondary: name all members in the URI, without directConnection"

// lastError returns why the servers could not be reached, without the driver's dump of what it knows of them.
func lastError(selection topology.ServerSelectionError) string {
	var reasons []string
	if selection.Desc.CompatibilityErr != nil {
		reasons = append(reasons, selection.Desc.CompatibilityErr.Error())
	}
	for _, server := range selection.Desc.Servers {
		if server.LastError != nil {
			reasons = append(reasons, server.LastError.Error())
		}
	}
	if len(reasons) == 0 {
		return "no server takes writes"
	}
	return strings.Join(reasons, "; ")
}

func hasCode(err error, code int) bool {
	var server mongo.ServerError
	return errors.As(err, &server) && server.HasErrorCode(code)
}

// maxReason bounds what is logged or stored of a server's text; DocumentDB's may quote a whole document.
const maxReason = 600

func short(text string) string {
	text = oneLine(text)
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
