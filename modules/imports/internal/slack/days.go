package slack

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stoachat/stoa/domain/importing"
)

// reader gets a message of a conversation, or the error of a malformed one.
type reader func(c *conversation, at string, m *message, err error) error

// damageError reports that the rest of a file cannot be read.
type damageError struct{ cause error }

func (e *damageError) Error() string { return e.cause.Error() }

// each calls fn for all messages, in the order of the files.
func (s *source) each(ctx context.Context, fn reader) error {
	for _, c := range s.conversations {
		if err := s.eachOf(ctx, c, fn); err != nil {
			return err
		}
	}
	return nil
}

// eachOf calls fn for the messages of a conversation.
func (s *source) eachOf(ctx context.Context, c *conversation, fn reader) error {
	for _, name := range c.days {
		f, err := s.Archive.Open(name)
		if err != nil {
			return err
		}
		var stop error
		err = importing.Elements(f, func(n int, element json.RawMessage) error {
			m, err := &message{}, errors.New("larger than 16 MiB")
			if element != nil {
				m, err = decode(element)
			}
			stop = errors.Join(ctx.Err(), fn(c, where(name, n), m, err))
			return stop
		})
		if err = errors.Join(err, f.Close()); stop != nil {
			return stop
		}
		if err != nil {
			if err := fn(c, name, nil, &damageError{err}); err != nil {
				return err
			}
		}
	}
	return nil
}
