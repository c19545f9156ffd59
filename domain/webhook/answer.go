package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/stoachat/stoa/domain/bot"
)

// FailureError is why a call has come to nothing, as the owner of the bot is told: never what the service has said.
type FailureError struct {
	Why   string // goes on after "its service"
	Again bool   // it may be over later
}

func (f FailureError) Error() string { return f.Why }

// What becomes of calls that are not answered, or not made.
var (
	ErrUnreached = FailureError{"can't be reached", true}
	ErrForbidden = FailureError{"is at an address that this server does not call", false}
	ErrDropped   = FailureError{"is called for more often than it answers, so that not all that is said to the bot is passed on", false}
	ErrTooMuch   = FailureError{"answers with too much", false}
	ErrUnsayable = FailureError{"answers what the bot may not say there", false}
	ErrNoDirect  = FailureError{"is told of messages in the form of Slack, which has no direct messages", false}
)

// Say reads what the bot is to say from an answer; "" is nothing. Errors: FailureError.
func (r Reply) Say(form bot.Interface) (string, error) {
	switch {
	case r.Status >= 500 || r.Status == http.StatusTooManyRequests || r.Status == http.StatusRequestTimeout:
		return "", FailureError{fmt.Sprintf("answers with status %d", r.Status), true}
	case r.Status < 200 || r.Status > 299:
		return "", FailureError{fmt.Sprintf("answers with status %d", r.Status), false}
	case len(bytes.TrimSpace(r.Body)) == 0:
		return "", nil
	}
	var said struct {
		Content     *string `json:"content"`
		Text        *string `json:"text"`
		NotRequired bool    `json:"response_not_required"`
	}
	if err := json.Unmarshal(r.Body, &said); err != nil {
		return "", FailureError{"answers with something else than the expected JSON", false}
	}
	text := said.Content
	if form == bot.SlackInterface {
		text = said.Text
	}
	if text == nil || said.NotRequired || strings.TrimSpace(*text) == "" {
		return "", nil
	}
	return *text, nil
}
