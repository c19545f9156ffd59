// Package revise asks modules to revise the content of messages before it is stored.
package revise

import (
	"context"
	"errors"
	"fmt"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
)

// ErrLate reports that modules took too long to revise a message.
var ErrLate = fmt.Errorf("modules took longer than %v to revise a message", message.MaxRevising)

// Service asks modules.
type Service struct {
	Modules kit.QueryAll[message.Revising, string]
}

// Answered reports whether any module revises messages.
func (s *Service) Answered() bool { return s.Modules.Answered() }

// Revise returns what modules make of a message's content. Errors: theirs; BadRequest for a text that cannot be the
// content of a message, or because of ErrLate if they take too long.
func (s *Service) Revise(ctx context.Context, v *directory.View, q message.Revising) (string, error) {
	if !s.Answered() {
		return q.Content, nil
	}
	if u := v.User(q.By.User); u != nil && u.System {
		return q.Content, nil
	}
	within, cancel := context.WithTimeout(ctx, message.MaxRevising)
	defer cancel()
	revised, err := s.Modules.Chain(within, q, func(q message.Revising, text string) message.Revising {
		q.Content = text
		return q
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return "", errs.Bad("The message could not be checked in time; please try again.").Because(ErrLate)
	case err != nil || revised.Content == q.Content:
		return q.Content, err
	}
	return message.Clean(revised.Content)
}
