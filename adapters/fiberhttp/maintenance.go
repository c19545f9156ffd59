package fiberhttp

import (
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
)

// maintenanceRetry is when clients should repeat a change that was refused because of maintenance, in seconds.
const maintenanceRetry = "60"

// maintained refuses changes while the server only reads. Errors: Maintenance.
func (x *request) maintained() error {
	if x.s.Maintenance == nil || x.route.Reads {
		return nil
	}
	switch x.c.Method() {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if message := x.s.Maintenance(); message != "" {
		return errs.New(errs.Maintenance, "%s", message)
	}
	return nil
}
