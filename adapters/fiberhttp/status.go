package fiberhttp

import (
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// refusesCredentials reports whether code means that a key or session is invalid.
func refusesCredentials(code errs.Code) bool {
	return code == errs.Unauthorized || code == errs.InvalidAPIKey || code == errs.UserDeactivated
}

// mayBeStale reports whether code is a refusal that newer facts might reverse. INVITATION_FAILED is not: the use case
// may have changed something, so it must not run again.
func mayBeStale(code errs.Code) bool {
	s := kit.StatusOf(code)
	return code == errs.AuthenticationFailed || code != errs.InvitationFailed && s >= 400 && s < 500 &&
		s != http.StatusUnauthorized && s != http.StatusTooManyRequests
}
