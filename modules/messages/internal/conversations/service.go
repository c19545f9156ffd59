// Package conversations finds and creates direct conversations. It also records in the directory which users a
// restricted guest can see because of them.
package conversations

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/kernel"
	"github.com/stoachat/stoa/modules/messages/internal/store"
)

// Service finds and creates direct conversations.
type Service struct {
	kernel.Ports
	Store *store.Conversations
}

// Listeners returns the package's hooks.
func (s *Service) Listeners() []kit.Hook { return []kit.Hook{kit.On(s.restrictionChanged)} }

// FindOrCreate returns the users' conversation. If there is none, it creates one in a separate transaction. The realm's
// lock orders this with restricted: whichever runs second sees the other's changes and updates the directory. Errors:
// Unavailable.
func (s *Service) FindOrCreate(ctx context.Context, r realm.ID, members user.Set) (message.Recipient, error) {
	if found, err := s.Store.Find(ctx, r, members); err != nil || found != 0 {
		return found, err
	}
	err := s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, r)
		if err != nil {
			return err
		}
		if err := s.Store.Create(ctx, r, members); err != nil {
			return err
		}
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return err
		}
		if pairs := newPairs(v, members); len(pairs) > 0 {
			return s.Log.Append(ctx, introduced.To(r, event.None(), kit.None{}).Changing(pairs...))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if found, err := s.Store.Find(ctx, r, members); err != nil || found != 0 {
		return found, err
	}
	return 0, errs.New(errs.Unavailable, "The conversation could not be made")
}

// FindOrCreateEach returns the conversation of each set of users. It finds existing conversations with one statement
// and creates the others like Of.
func (s *Service) FindOrCreateEach(ctx context.Context, r realm.ID, sets []user.Set) ([]message.Recipient, error) {
	found, err := s.Store.FindAll(ctx, r, sets)
	if err != nil {
		return nil, err
	}
	for i, members := range sets {
		if found[i] != 0 {
			continue
		}
		if found[i], err = s.FindOrCreate(ctx, r, members); err != nil {
			return nil, err
		}
	}
	return found, nil
}
