package openapi

import (
	"net/http"

	"github.com/stoachat/stoa/domain/errs"
)

// addErrors adds the responses that all operations share.
func (b *builder) addErrors() {
	schemas := b.doc.Components.Schemas
	s := success()
	s.Description = "A response without keys of its own."
	s.Properties = append(s.Properties, ignored)
	schemas["Success"] = s
	code := &Schema{Type: "string", Description: "What went wrong. New codes may be added."}
	schemas["Error"] = &Schema{
		Type: "object", Description: "A refused request, which has changed nothing. Some codes add keys.",
		Required: []string{"result", "msg", "code"},
		Properties: append(Properties{
			{"result", &Schema{Type: "string", Const: "error", Description: "Whether the request succeeded."}},
			{"msg", &Schema{Type: "string", Description: "What went wrong, for people."}},
			{"code", code},
		}, extras()...),
		Additional: false,
	}
	for _, c := range errs.Codes() {
		code.Enum = append(code.Enum, string(c))
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

// extras returns the keys that some codes add to an Error.
func extras() Properties {
	text := func(doc string) *Schema { return &Schema{Type: "string", Description: doc} }
	number := func(doc string) *Schema { return &Schema{Type: "integer", Format: "int64", Description: doc} }
	flag := func(doc string) *Schema { return &Schema{Type: "boolean", Description: doc} }
	list := func(doc string) *Schema {
		return &Schema{Type: "array", Items: &Schema{Type: "string"}, Description: doc}
	}
	return Properties{
		{"var_name", text("The parameter that is missing or invalid.")},
		{"var_name1", text("The first of two names that were given for one parameter.")},
		{"var_name2", text("The second of two names that were given for one parameter.")},
		{"parameters", &Schema{
			Description: "The parameters that cannot be combined.",
			OneOf:       []*Schema{{Type: "string"}, list("")},
		}},
		{"retry-after", &Schema{Type: "number", Description: "Seconds after which to try again."}},
		{"queue_id", text("The event queue that does not exist.")},
		{"desc", text("What is wrong with the narrow.")},
		{"setting_name", text("The setting that only takes a system group.")},
		{"field_name", text("The setting that has another value than expected.")},
		{"stream", text("The name of the channel that does not exist.")},
		{"stream_id", number("The ID of the channel that does not exist.")},
		{"empty_topic_display_name", text("What clients show instead of the empty topic.")},
		{"channel_name", text("The name that another channel has.")},
		{"entity", text("What only the last owner or user cannot do.")},
		{"is_last_owner", flag("Whether the caller is the last owner, not the last user.")},
		{"first_message_id_allowed_to_move", number("The first message that the caller may move; null: none.").orNull()},
		{"total_messages_allowed_to_move", number("The number of messages that the caller may move.")},
		{"total_messages_in_topic", number("The number of messages in the topic.")},
		{"errors", &Schema{Description: "What is wrong with each field, or with each email address."}},
		{"sent_invitations", flag("Whether other invitations have been sent.")},
		{"license_limit_reached", flag("Whether the organization has no room for more users.")},
		{"daily_limit_reached", flag("Whether too many invitations were sent today.")},
		{"webhook_name", text("The name of the integration.")},
		{"event_type", text("The type of event that the integration does not know.")},
		{"header", text("The header that is missing.")},
		{"allowed_methods", list("The methods that the path has.")},
		{"objections", &Schema{Type: "array", Items: &Schema{Type: "object"}, Description: "Where the group is used."}},
		{"reason", text("Why the request was not trusted.")},
	}
}
