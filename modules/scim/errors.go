package scim

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/plainjson"
	"github.com/stoachat/stoa/modules/scim/internal/patch"
)

// errorURN is the schema of errors.
const errorURN = "urn:ietf:params:scim:api:messages:2.0:Error"

// failure is an error as clients read it; see RFC 7644, section 3.12.
type failure struct {
	status int
	kind   string // scimType; "": none
	detail string
}

func (f *failure) Error() string { return f.detail }

func fail(status int, kind, detail string) error { return &failure{status, kind, detail} }

func notFound() error { return fail(http.StatusNotFound, "", "There is no such resource.") }

func invalid(detail string) error { return fail(http.StatusBadRequest, "invalidValue", detail) }

func taken(detail string) error { return fail(http.StatusConflict, "uniqueness", detail) }

func forbidden(detail string) error { return fail(http.StatusForbidden, "", detail) }

// statuses maps codes of errors to statuses. The default is 400.
var statuses = map[errs.Code]int{
	errs.RateLimit:             http.StatusTooManyRequests,
	errs.TooLarge:              http.StatusRequestEntityTooLarge,
	errs.Unavailable:           http.StatusServiceUnavailable,
	errs.Maintenance:           http.StatusServiceUnavailable,
	errs.NotFound:              http.StatusNotFound,
	errs.LastUser:              http.StatusForbidden,
	errs.UnauthorizedPrincipal: http.StatusForbidden,
	errs.PermissionDenied:      http.StatusForbidden,
	errs.GroupInUse:            http.StatusConflict,
}

// failureOf returns what a client reads of an error, or nil if it is one of the server.
func failureOf(err error) *failure {
	var f *failure
	var p *patch.Error
	var e *errs.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &p):
		return &failure{http.StatusBadRequest, p.Type, p.Detail}
	case errors.As(err, &e):
		status, ok := statuses[e.Code]
		if !ok {
			return &failure{http.StatusBadRequest, "invalidValue", e.Msg}
		}
		return &failure{status, "", e.Msg}
	}
	return nil
}

// handleError answers with an error. The texts of internal errors are logged, not sent.
func (s *service) handleError(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	switch {
	case f != nil:
	case r.Context().Err() != nil:
		f = &failure{http.StatusServiceUnavailable, "", "The request took too long to process; please try again."}
	default:
		s.Logger.ErrorContext(r.Context(), "a provisioning request failed", "method", r.Method, "path", r.URL.Path,
			"error", err)
		f = &failure{http.StatusInternalServerError, "", "Internal server error"}
	}
	f.write(w)
}

// refuse writes errors that occur before the handler is called.
func refuse(w http.ResponseWriter, status int, msg string) { (&failure{status, "", msg}).write(w) }

func (f *failure) write(w http.ResponseWriter) {
	body := map[string]any{"schemas": []string{errorURN}, "status": strconv.Itoa(f.status), "detail": f.detail}
	if f.kind != "" {
		body["scimType"] = f.kind
	}
	switch f.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="SCIM"`)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	}
	writeJSON(w, f.status, body)
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	b, err := plainjson.Marshal(body)
	if err != nil {
		status, b = http.StatusInternalServerError, nil
	}
	w.Header().Set("Content-Type", "application/scim+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b) // the client may have disconnected
}
