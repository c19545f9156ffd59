package fiberhttp

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

func statusOf(code errs.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusBadRequest
}

// refusesCredentials reports whether code means that a key or session is invalid.
func refusesCredentials(code errs.Code) bool {
	return code == errs.Unauthorized || code == errs.InvalidAPIKey || code == errs.UserDeactivated
}

// mayBeStale reports whether code is a refusal that newer facts might reverse. INVITATION_FAILED is not: the use case
// may have changed something, so it must not run again.
func mayBeStale(code errs.Code) bool {
	s := statusOf(code)
	return code == errs.AuthenticationFailed || code != errs.InvitationFailed && s >= 400 && s < 500 &&
		s != http.StatusUnauthorized && s != http.StatusTooManyRequests
}
