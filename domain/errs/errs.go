// Package errs defines the one error type that crosses the layers: a wire code, a message for users, and the extra
// fields that the code documents. Only the HTTP server maps codes to statuses.
package errs

import (
	"errors"
	"fmt"
	"maps"
)

// Code identifies an error on the wire.
type Code string

// The wire codes. The HTTP server maps them to statuses.
const (
	BadRequest            Code = "BAD_REQUEST"
	Missing               Code = "REQUEST_VARIABLE_MISSING"
	Invalid               Code = "REQUEST_VARIABLE_INVALID"
	Confusing             Code = "REQUEST_CONFUSING_VAR"
	InvalidJSON           Code = "INVALID_JSON"
	Incompatible          Code = "INCOMPATIBLE_PARAMETERS"
	BadImage              Code = "BAD_IMAGE"
	UploadQuota           Code = "REALM_UPLOAD_QUOTA"
	BadNarrow             Code = "BAD_NARROW"
	BadEventQueue         Code = "BAD_EVENT_QUEUE_ID"
	StreamDoesNotExist    Code = "STREAM_DOES_NOT_EXIST"
	ChannelExists         Code = "CHANNEL_ALREADY_EXISTS"
	CannotAdminister      Code = "CANNOT_ADMINISTER_CHANNEL"
	UnauthorizedPrincipal Code = "UNAUTHORIZED_PRINCIPAL"
	LastUser              Code = "CANNOT_DEACTIVATE_LAST_USER"
	GroupInUse            Code = "CANNOT_DEACTIVATE_GROUP_IN_USE"
	Expectation           Code = "EXPECTATION_MISMATCH"
	SystemGroupRequired   Code = "SYSTEM_GROUP_REQUIRED"
	StreamWildcard        Code = "STREAM_WILDCARD_MENTION_NOT_ALLOWED"
	TopicWildcard         Code = "TOPIC_WILDCARD_MENTION_NOT_ALLOWED"
	Unauthorized          Code = "UNAUTHORIZED"
	InvalidAPIKey         Code = "INVALID_API_KEY"                //nolint:gosec // not a credential
	UnsupportedWebhook    Code = "UNSUPPORTED_WEBHOOK_EVENT_TYPE" // 200, so that senders do not disable the webhook
	AnomalousWebhook      Code = "ANOMALOUS_WEBHOOK_PAYLOAD"
	MissingEventHeader    Code = "MISSING_HTTP_EVENT_HEADER"
	AuthenticationFailed  Code = "AUTHENTICATION_FAILED"
	UserDeactivated       Code = "USER_DEACTIVATED"
	RealmDeactivated      Code = "REALM_DEACTIVATED"
	PasswordAuthDisabled  Code = "PASSWORD_AUTH_DISABLED"
	SecondFactorRequired  Code = "SECOND_FACTOR_REQUIRED" // the client cannot ask for it: log in with a browser
	NonexistentSubdomain  Code = "NONEXISTENT_SUBDOMAIN"
	PermissionDenied      Code = "PERMISSION_DENIED"
	CSRF                  Code = "CSRF_FAILED"
	NotFound              Code = "NOT_FOUND"
	MethodNotAllowed      Code = "METHOD_NOT_ALLOWED"
	TooLarge              Code = "REQUEST_TOO_LARGE" // 413
	ReactionExists        Code = "REACTION_ALREADY_EXISTS"
	ReactionMissing       Code = "REACTION_DOES_NOT_EXIST"
	MoveLimit             Code = "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"
	PushNotConfigured     Code = "PUSH_SERVICE_NOT_CONFIGURED"
	PushDisallowed        Code = "PUSH_NOTIFICATIONS_DISALLOWED"
	InvalidPushToken      Code = "INVALID_PUSH_DEVICE_TOKEN" //nolint:gosec // not a credential
	NoActiveDevice        Code = "NO_ACTIVE_PUSH_DEVICE"
	InvalidBouncerKey     Code = "INVALID_BOUNCER_PUBLIC_KEY"
	RequestExpired        Code = "REQUEST_EXPIRED"
	MissingRemoteRealm    Code = "MISSING_REMOTE_REALM"             // 403
	AdminAction           Code = "ADMIN_ACTION_REQUIRED"            // 403
	BouncerUnreachable    Code = "FAILED_TO_CONNECT_BOUNCER"        // 502
	BouncerFailed         Code = "INTERNAL_SERVER_ERROR_ON_BOUNCER" // 502
	RateLimit             Code = "RATE_LIMIT_HIT"
	InvitationFailed      Code = "INVITATION_FAILED"   // some invitations may still have been sent
	Unavailable           Code = "SERVICE_UNAVAILABLE" // 503 with Retry-After
	Maintenance           Code = "MAINTENANCE"         // 503 with Retry-After; the server only reads
	Internal              Code = "INTERNAL_SERVER_ERROR"
)

// Error is returned by a use case that rejects a request and has changed nothing.
type Error struct {
	Code  Code
	Msg   string         // for users; never contains the cause
	Extra map[string]any // the fields that the code documents, besides result, msg and code
	Gone  bool           // the named object does not exist: 404, whatever the code
	cause error

	format string // Msg before formatting, for translations
	args   []any
}

func (e *Error) Error() string {
	if e.cause != nil {
		return e.Msg + ": " + e.cause.Error()
	}
	return e.Msg
}

// Unwrap returns the cause, which is logged but never sent to clients.
func (e *Error) Unwrap() error { return e.cause }

// With returns a copy with an extra field.
func (e *Error) With(key string, value any) *Error {
	extra := make(map[string]any, len(e.Extra)+1)
	maps.Copy(extra, e.Extra)
	extra[key] = value
	c := *e
	c.Extra = extra
	return &c
}

// In returns the message as translated by translate, which is given the original format and its arguments.
func (e *Error) In(translate func(format string, args ...any) string) string {
	if e.format == "" {
		return e.Msg
	}
	return translate(e.format, e.args...)
}

// Because returns a copy with a cause for the log.
func (e *Error) Because(cause error) *Error { c := *e; c.cause = cause; return &c }

// New creates an error with any code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Msg: text(format, args), format: format, args: args}
}

// Bad creates the general error for invalid requests: code BAD_REQUEST, status 400.
func Bad(format string, args ...any) *Error { return New(BadRequest, format, args...) }

// NotLoggedIn returns the error for requests that need an account. Spectators get the same error for inaccessible and
// for nonexistent objects.
func NotLoggedIn() *Error {
	return New(Unauthorized, "Not logged in: API authentication or user session required")
}

// Absent creates the error of the few endpoints that report a missing object with code BAD_REQUEST and status 404.
func Absent(format string, args ...any) *Error {
	e := Bad(format, args...)
	e.Gone = true
	return e
}

// Is reports whether err is an Error with the given code.
func Is(err error, code Code) bool {
	if err == nil { // errors.As would allocate
		return false
	}
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

func text(format string, args []any) string {
	if len(args) == 0 {
		return format
	}
	return fmt.Sprintf(format, args...)
}
