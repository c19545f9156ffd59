package user

import "github.com/stoachat/stoa/domain/errs"

// AccountDeactivated returns the error for requests of users who are deactivated or do not exist: the account may have
// been deactivated since the request was admitted. Its code is Unauthorized.
func AccountDeactivated() *errs.Error { return errs.New(errs.Unauthorized, deactivatedText) }

// LoginDeactivated returns the error for logins of deactivated users, including those with a session cookie or with an
// API key as a parameter. Its code is UserDeactivated.
func LoginDeactivated() *errs.Error { return errs.New(errs.UserDeactivated, deactivatedText) }

const deactivatedText = "Account is deactivated"
