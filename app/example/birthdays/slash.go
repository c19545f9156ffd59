package birthdays

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/modules/kit"
)

// slashBirthday handles /birthday, which answers only the caller. Errors: those of POST /birthdays.
func (s *service) slashBirthday(ctx context.Context, a kit.Actor, in kit.Slashed) (string, error) {
	_, err := s.set(ctx, a, setReq{in.Text})
	return "Your birthday is **" + in.Text + "**.", err
}

// slashCake handles /cake, which sends a message to the conversation. Errors: those of POST /messages.
func (s *service) slashCake(ctx context.Context, a kit.Actor, in kit.Slashed) (string, error) {
	_, err := s.Sender.Send(ctx, a, in.Message(strings.TrimSpace(":cake: "+in.Text)))
	return "", err
}
