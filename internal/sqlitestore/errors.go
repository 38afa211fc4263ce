package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"

	"precount/internal/counters"
)

// A fileError is an error whose text already names the file it is about and the next step.
type fileError struct {
	text string
	err  error
}

func (e *fileError) Error() string { return e.text }
func (e *fileError) Unwrap() error { return e.err }

// explain turns an error into one line that names the file and, where SQLite is the cause, says what to do about it. An
// error that is explained already stays as it is.
func explain(ctx context.Context, path string, err error) error {
	var explained *fileError
	if err == nil || errors.As(err, &explained) {
		return err
	}
	if ctxErr := ctx.Err(); ctxErr != nil && isInterrupt(err) {
		return &fileError{fmt.Sprintf("%s: %v", path, ctxErr), ctxErr}
	}
	code := sqlite.ErrCode(err)
	if code == sqlite.ResultError || code.IsSuccess() {
		return &fileError{fmt.Sprintf("%s: %s", path, oneLine(err.Error())), err}
	}
	if isDamage(code) {
		err = fmt.Errorf("%w: %w", counters.ErrDamaged, err)
	}
	return &fileError{fmt.Sprintf("%s: %s", path, describe(code)), err}
}

func describe(code sqlite.ResultCode) string {
	switch code.ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return fmt.Sprintf("%v (%s): stop precount, move the file away or restore it from a backup, start again",
			counters.ErrDamaged, code.Message())
	case sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultPerm, sqlite.ResultAuth:
		return fmt.Sprintf("cannot write it (%s): check that its directory exists and that this user may write there",
			code.Message())
	case sqlite.ResultFull:
		return "the disk is full: make room"
	case sqlite.ResultBusy, sqlite.ResultInterrupt, sqlite.ResultLocked:
		return fmt.Sprintf("another process has been writing it for %v: end that process if it hangs", lockPatience)
	case sqlite.ResultIOErr:
		return fmt.Sprintf("%s (%v): check the disk and the system's log", code.Message(), code)
	case sqlite.ResultConstraint:
		return fmt.Sprintf("%s (%v): a counter would grow beyond 64 bits", code.Message(), code)
	default:
		return fmt.Sprintf("%s (%v)", code.Message(), code)
	}
}

func isDamage(code sqlite.ResultCode) bool {
	return code.ToPrimary() == sqlite.ResultCorrupt || code.ToPrimary() == sqlite.ResultNotADB
}

// isInterrupt reports whether err may come from a cancelled context: waiting for a lock ends with BUSY then.
func isInterrupt(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt, sqlite.ResultBusy:
		return true
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isHarmless reports whether err leaves its connection as good as it was.
func isHarmless(err error) bool {
	return isInterrupt(err) || errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNotFound) ||
		sqlite.ErrCode(err).ToPrimary() == sqlite.ResultConstraint
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
