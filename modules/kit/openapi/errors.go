package openapi

import (
	"net/http"
	"slices"

	"github.com/stoachat/stoa/domain/errs"
)

// addErrors adds the responses that all operations share.
func (b *builder) addErrors() {
	schemas := b.doc.Components.Schemas
	s := success()
	s.Description = "A response without keys of its own."
	s.Properties = append(s.Properties, ignored)
	schemas["Success"] = s
	var keys Properties
	for _, x := range extras() {
		keys = append(keys, x.Property)
	}
	code := &Schema{Type: "string", Description: "What went wrong. New codes may be added."}
	schemas["Error"] = &Schema{
		Type: "object", Description: "A refused request, which has changed nothing. Some codes add keys.",
		Required: []string{"result", "msg", "code"},
		Properties: append(Properties{
			{"result", &Schema{Type: "string", Const: "error", Description: "Whether the request succeeded."}},
			{"msg", &Schema{Type: "string", Description: "What went wrong, for people."}},
			{"code", code},
		}, keys...),
		Additional: false,
	}
	for _, c := range errs.Codes() {
		code.Enum, code.Meanings = append(code.Enum, string(c)), append(code.Meanings, Meanings()[c])
	}
	for status, text := range map[int]string{
		http.StatusBadRequest:                  "The request is invalid, or the caller may not make it.",
		http.StatusUnauthorized:                "The credentials are missing or invalid, or the account is deactivated.",
		http.StatusForbidden:                   "A page of another site may have sent it, or something must be done first.",
		http.StatusBadGateway:                  "Another server does not answer as it should.",
		http.StatusNotFound:                    "The object or the organization does not exist.",
		http.StatusConflict:                    "An object with the name exists.",
		http.StatusRequestEntityTooLarge:       "The body is too large.",
		http.StatusTooManyRequests:             "Too many requests. Retry-After says when to try again.",
		http.StatusRequestHeaderFieldsTooLarge: "The URL or the headers are too large.",
		http.StatusInternalServerError:         "The server has failed. msg contains an ID that its log contains as well.",
		http.StatusServiceUnavailable:          "The server cannot do this now. Retry-After says when to try again.",
	} {
		r := &Response{Description: text, Content: map[string]Media{"application/json": {Schema: reference("Error")}}}
		r.Headers = errorHeaders(status)
		b.doc.Components.Responses[camel(http.StatusText(status))] = r
	}
}

// errorHeaders returns the headers of errors with a status.
func errorHeaders(status int) map[string]Header {
	number := &Schema{Type: "integer"}
	retry := Header{"Seconds to wait.", number}
	switch status {
	case http.StatusUnauthorized:
		return map[string]Header{"WWW-Authenticate": {"How to authenticate.", &Schema{Type: "string"}}}
	case http.StatusServiceUnavailable:
		return map[string]Header{"Retry-After": retry}
	case http.StatusTooManyRequests:
		return map[string]Header{
			"Retry-After": retry, "X-RateLimit-Limit": {"The number of requests in a period.", number},
			"X-RateLimit-Remaining": {"The number of requests that are left in this period.", number},
			"X-RateLimit-Reset":     {"The time at which the period ends, in Unix seconds.", number},
		}
	}
	return nil
}

// extra is a key that errors with some codes have.
type extra struct {
	Property

	codes []errs.Code
}

// extraKeys returns the keys that a code adds to an Error.
func extraKeys(code errs.Code) []string {
	var all []string
	for _, x := range extras() {
		if slices.Contains(x.codes, code) {
			all = append(all, x.Name)
		}
	}
	return all
}

// extras returns the keys that some codes add to an Error.
func extras() []extra {
	text := func(doc string) *Schema { return &Schema{Type: "string", Description: doc} }
	number := func(doc string) *Schema { return &Schema{Type: "integer", Format: "int64", Description: doc} }
	flag := func(doc string) *Schema { return &Schema{Type: "boolean", Description: doc} }
	list := func(doc string) *Schema {
		return &Schema{Type: "array", Items: &Schema{Type: "string"}, Description: doc}
	}
	var all []extra
	add := func(name string, s *Schema, codes ...errs.Code) {
		all = append(all, extra{Property{name, s}, codes})
	}
	add("var_name", text("The parameter that is missing or invalid."), errs.Missing, errs.Invalid)
	add("var_name1", text("The first of two names that were given for one parameter."), errs.Confusing)
	add("var_name2", text("The second of two names that were given for one parameter."), errs.Confusing)
	add("parameters", &Schema{
		Description: "The parameters that cannot be combined.", OneOf: []*Schema{{Type: "string"}, list("")},
	}, errs.Incompatible, errs.BadRequest)
	add("retry-after", &Schema{Type: "number", Description: "Seconds after which to try again."},
		errs.RateLimit, errs.Unavailable)
	add("queue_id", text("The event queue that does not exist."), errs.BadEventQueue)
	add("desc", text("What is wrong with the narrow."), errs.BadNarrow)
	add("setting_name", text("The setting that only takes a system group."), errs.SystemGroupRequired)
	add("field_name", text("The setting that has another value than expected."), errs.Expectation)
	add("stream", text("The name of the channel that does not exist."), errs.StreamDoesNotExist)
	add("stream_id", number("The ID of the channel that does not exist."), errs.StreamDoesNotExist)
	add("empty_topic_display_name", text("What clients show instead of the empty topic."), errs.BadRequest)
	add("channel_name", text("The name that another channel has."), errs.ChannelExists)
	add("entity", text("What only the last owner or user cannot do."), errs.LastUser)
	add("is_last_owner", flag("Whether the caller is the last owner, not the last user."), errs.LastUser)
	add("first_message_id_allowed_to_move", number("The first message that the caller may move; null: none.").orNull(),
		errs.MoveLimit)
	add("total_messages_allowed_to_move", number("The number of messages that the caller may move."), errs.MoveLimit)
	add("total_messages_in_topic", number("The number of messages in the topic."), errs.MoveLimit)
	add("errors", &Schema{Description: "What is wrong with each field, or with each email address."},
		errs.BadRequest, errs.InvitationFailed)
	add("sent_invitations", flag("Whether other invitations have been sent."), errs.InvitationFailed)
	add("license_limit_reached", flag("Whether the organization has no room for more users."), errs.InvitationFailed)
	add("daily_limit_reached", flag("Whether too many invitations were sent today."), errs.InvitationFailed)
	add("webhook_name", text("The name of the integration."), errs.UnsupportedWebhook, errs.AnomalousWebhook)
	add("event_type", text("The type of event that the integration does not know."), errs.UnsupportedWebhook)
	add("header", text("The header that is missing."), errs.MissingEventHeader)
	add("allowed_methods", list("The methods that the path has."), errs.MethodNotAllowed)
	add("objections", &Schema{Type: "array", Items: &Schema{Type: "object"}, Description: "Where the group is used."},
		errs.GroupInUse)
	add("reason", text("Why the request was not trusted."), errs.CSRF)
	return all
}
