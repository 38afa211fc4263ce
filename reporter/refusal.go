package reporter

import (
	"fmt"

	"github.com/valyala/fasthttp"
)

// A Code names a kind of refusal to programs.
type Code string

// The codes of the API's errors.
const (
	UnknownSite      Code = "unknown-site"
	BadRange         Code = "bad-range"
	BadBy            Code = "bad-by"
	BadPrefix        Code = "bad-prefix"
	BadLimit         Code = "bad-limit"
	BadFormat        Code = "bad-format"
	LoginRequired    Code = "login-required"
	NotFound         Code = "not-found"
	MethodNotAllowed Code = "method-not-allowed"
	StoreUnavailable Code = "store-unavailable"
)

var statuses = map[Code]int{
	UnknownSite:      fasthttp.StatusNotFound,
	LoginRequired:    fasthttp.StatusUnauthorized,
	NotFound:         fasthttp.StatusNotFound,
	MethodNotAllowed: fasthttp.StatusMethodNotAllowed,
	StoreUnavailable: fasthttp.StatusServiceUnavailable,
}

// A Refusal is a request that cannot be answered, and why, in words for the person who asked.
type Refusal struct {
	Code    Code   `json:"code"`
	Message string `json:"message"` // names the value that is wrong and what would be right
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// Status returns the HTTP status that goes with the code; 400 for all that is wrong with a parameter.
func (r *Refusal) Status() int {
	if status, ok := statuses[r.Code]; ok {
		return status
	}
	return fasthttp.StatusBadRequest
}

func refuse(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Message: fmt.Sprintf(format, args...)}
}
