package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/bot"
)

// Answer is what a bot says in reply to a call. The zero Answer is no message.
type Answer struct {
	Content string
	Widget  string // the widget_content of the message, "" for none
}

// FailureError is why a call failed. Whoever reads the conversation sees Why; Detail is for the owner of the bot only.
type FailureError struct {
	Why    string // a sentence of ours
	Detail string // what the service or the server said, not to be trusted; may be ""
	Retry  bool   // a further try may succeed
	Quiet  bool   // nothing is wrong with the service, so the owner is not notified
}

func (f FailureError) Error() string { return f.Why }

// The failures of calls without an answer, and of calls that are not made.
var (
	ErrTimeout   = FailureError{Why: "The service did not answer in time.", Retry: true}
	ErrUnreached = FailureError{Why: "The service cannot be reached.", Retry: true}
	ErrBroken    = FailureError{Why: "The service did not answer correctly."}
	ErrForbidden = FailureError{Why: "This server does not call the address of the service."}
	ErrTooLarge  = FailureError{Why: "The service's answer is too large."}
	ErrNoDirect  = FailureError{Why: "This bot does not support direct messages.", Quiet: true}
	ErrDropped   = FailureError{
		Why: "The service is called more often than it answers, so not all messages are passed on.",
	}
)

// Unsendable is the failure of an answer that was refused as a message, with the reason.
func Unsendable(why string) FailureError {
	return FailureError{Why: "The service's answer could not be sent.", Detail: why}
}

// Answer reads what the bot is to say. Errors: FailureError.
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
		return blank(Answer{Content: text(fields["text"])}), nil
	}
	if string(fields["response_not_required"]) == "true" {
		return Answer{}, nil
	}
	content, named := fields["content"]
	if !named {
		content = fields["response_string"]
	}
	return blank(Answer{Content: text(content), Widget: widget(fields["widget_content"])}), nil
}

// blank drops answers without content.
func blank(a Answer) Answer {
	if strings.TrimSpace(a.Content) == "" {
		return Answer{}
	}
	return a
}

// text returns a JSON string's value, "" for any other JSON.
func text(field json.RawMessage) string {
	var s string
	if json.Unmarshal(field, &s) != nil {
		return ""
	}
	return s
}

// widget returns the description of a widget, which is a JSON text in a string, or that JSON itself.
func widget(field json.RawMessage) string {
	if s := text(field); s != "" || len(field) == 0 || field[0] == '"' || string(field) == "null" {
		return s
	}
	return string(field)
}
