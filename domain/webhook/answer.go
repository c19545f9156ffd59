package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/bot"
)

// Answer is a bot's reply to a call. The zero Answer sends no message.
type Answer struct {
	Content string
	Widget  string // widget_content of the message; "": none
}

// FailureError is the reason for a failed call. Readers of the conversation see Why; only the bot's owner sees
// Detail.
type FailureError struct {
	Why    string // a fixed sentence
	Detail string // untrusted text from the service or the server; may be ""
	Retry  bool   // a retry may succeed
	Quiet  bool   // not the service's fault, so the owner is not notified
}

func (f FailureError) Error() string { return f.Why }

// Failures of calls without a reply, and of calls that are not made.
var (
	ErrTimeout   = FailureError{Why: "The service did not answer in time.", Retry: true}
	ErrUnreached = FailureError{Why: "The service cannot be reached.", Retry: true}
	ErrBroken    = FailureError{Why: "The service did not answer correctly."}
	ErrForbidden = FailureError{
		Why:    "This server does not allow calls to the address of the service.",
		Detail: "adapters.webhooks.networks and adapters.webhooks.ports of its configuration allow more addresses.",
	}
	ErrTooLarge = FailureError{Why: "The service's answer is too large."}
	ErrNoDirect = FailureError{Why: "This bot does not support direct messages.", Quiet: true}
	ErrDropped  = FailureError{
		Why: "The service can't keep up with its calls, so some messages were dropped.",
	}
)

// Unsendable returns the failure for a reply that could not be sent as a message; why is the reason.
func Unsendable(why string) FailureError {
	return FailureError{Why: "The service's answer could not be sent.", Detail: why}
}

// Answer parses the bot's reply. Errors: FailureError.
func (r Reply) Answer(form bot.Interface) (Answer, error) {
	if r.Status < 200 || r.Status > 299 {
		why := fmt.Sprintf("The service answered with status %d.", r.Status)
		return Answer{}, FailureError{Why: why, Detail: string(r.Body)}
	}
	body := bytes.TrimSpace(r.Body)
	// Older bot servers send "" for no message.
	if len(body) == 0 || r.Status == http.StatusNoContent || string(body) == `""` {
		return Answer{}, nil
	}
	if !json.Valid(body) {
		return Answer{}, FailureError{Why: "The service's answer is not valid JSON.", Detail: string(body)}
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return Answer{}, FailureError{Why: "The service's answer is not a JSON object.", Detail: string(body)}
	}
	if form == bot.SlackInterface {
		return dropEmpty(Answer{Content: text(fields["text"])}), nil
	}
	if string(fields["response_not_required"]) == "true" {
		return Answer{}, nil
	}
	content, named := fields["content"]
	if !named {
		content = fields["response_string"]
	}
	return dropEmpty(Answer{Content: text(content), Widget: widget(fields["widget_content"])}), nil
}

// dropEmpty returns the zero Answer for one without content.
func dropEmpty(a Answer) Answer {
	if strings.TrimSpace(a.Content) == "" {
		return Answer{}
	}
	return a
}

// text returns the value of a JSON string, or "" for other JSON.
func text(field json.RawMessage) string {
	var s string
	if json.Unmarshal(field, &s) != nil {
		return ""
	}
	return s
}

// widget returns the description of a widget, given as JSON text in a string or as that JSON itself.
func widget(field json.RawMessage) string {
	if s := text(field); s != "" || len(field) == 0 || field[0] == '"' || string(field) == "null" {
		return s
	}
	return string(field)
}
