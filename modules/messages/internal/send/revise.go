package send

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
)

// errLate reports that modules took too long to revise a message.
var errLate = fmt.Errorf("modules took longer than %v to revise a message", message.MaxRevising)

// revise returns what modules make of a message's content. Errors: theirs; BadRequest for a text that cannot be the
// content of a message, or if they take too long.
func (s *Service) revise(ctx context.Context, v *directory.View, q message.Revising) (string, error) {
	if !s.Revising.Answered() {
		return q.Content, nil
	}
	if u := v.User(q.By.User); u != nil && u.System {
		return q.Content, nil
	}
	within, cancel := context.WithTimeout(ctx, message.MaxRevising)
	defer cancel()
	revised, err := s.Revising.Chain(within, q, func(q message.Revising, text string) message.Revising {
		q.Content = text
		return q
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return "", errs.Bad("The message could not be checked in time; please try again.").Because(errLate)
	case err != nil || revised.Content == q.Content:
		return q.Content, err
	}
	return message.Clean(revised.Content)
}
