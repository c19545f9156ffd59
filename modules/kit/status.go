package kit

import (
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
)

// statuses maps error codes to HTTP statuses. All other codes have status 400.
var statuses = map[errs.Code]int{
	errs.Unauthorized:         http.StatusUnauthorized,
	errs.AuthenticationFailed: http.StatusUnauthorized,
	errs.InvalidAPIKey:        http.StatusUnauthorized,
	errs.UnsupportedWebhook:   http.StatusOK,
	errs.UserDeactivated:      http.StatusUnauthorized,
	errs.RealmDeactivated:     http.StatusUnauthorized,
	errs.PasswordAuthDisabled: http.StatusUnauthorized,
	errs.SecondFactorRequired: http.StatusUnauthorized,
	errs.CSRF:                 http.StatusForbidden,
	errs.NotFound:             http.StatusNotFound,
	errs.NonexistentSubdomain: http.StatusNotFound,
	errs.MethodNotAllowed:     http.StatusMethodNotAllowed,
	errs.ChannelExists:        http.StatusConflict,
	errs.TooLarge:             http.StatusRequestEntityTooLarge,
	errs.RateLimit:            http.StatusTooManyRequests,
	errs.Unavailable:          http.StatusServiceUnavailable,
	errs.Maintenance:          http.StatusServiceUnavailable,
	errs.Internal:             http.StatusInternalServerError,
	errs.MissingRemoteRealm:   http.StatusForbidden,
	errs.AdminAction:          http.StatusForbidden,
	errs.BouncerUnreachable:   http.StatusBadGateway,
	errs.BouncerFailed:        http.StatusBadGateway,
}

// StatusOf returns the HTTP status of responses with a code. Errors of missing objects have status 404 instead.
func StatusOf(code errs.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusBadRequest
}
