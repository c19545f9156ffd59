package alertwords

import (
	"context"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// list holds a user's alert words. It is the response of all routes, the section of /register and the payload of the
// event.
type list struct {
	Words []string `json:"alert_words"`
}

// changed identifies the user whose words changed. The words are read at delivery.
type changed struct {
	User user.ID `json:"user"`
	list list
}

var alertWords = kit.Event[changed]("alert_words", "").Shape(show).Sends(list{})

func show(_ context.Context, _ *directory.View, _ event.Client, c *changed) (any, bool) {
	return c.list, true
}

// read loads the words for a page of events with one query.
func (s *service) read(ctx context.Context, _ *directory.View, all []*changed) error {
	us := make([]user.ID, len(all))
	for i, c := range all {
		us[i] = c.User
	}
	of, err := s.rows.Of(ctx, us...)
	for _, c := range all {
		c.list = listed(of[c.User])
	}
	return err
}

func listed(words []string) list {
	if words == nil {
		words = []string{}
	}
	return list{words}
}

func (s *service) list(ctx context.Context, a kit.Actor, _ kit.None) (list, error) {
	of, err := s.rows.Of(ctx, a.User)
	return listed(of[a.User]), err
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (list, error) {
	return s.list(ctx, a, kit.None{})
}

type request struct {
	Words []string `json:"alert_words"`
}

// add handles POST /users/me/alert_words. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in request) (list, error) {
	return s.change(ctx, a, in, func(ctx context.Context, had, sent []string) (alertword.Words, error) {
		fresh, err := alertword.Add(had, sent)
		if err != nil || len(fresh) == 0 {
			return alertword.Words{}, err
		}
		return alertword.Words{User: a.User, Add: keys(fresh)}, s.rows.Add(ctx, a.Realm, a.User, fresh)
	})
}

// remove handles DELETE /users/me/alert_words. Errors: BadRequest.
func (s *service) remove(ctx context.Context, a kit.Actor, in request) (list, error) {
	return s.change(ctx, a, in, func(ctx context.Context, had, sent []string) (alertword.Words, error) {
		gone := keys(alertword.Common(had, sent))
		if len(gone) == 0 {
			return alertword.Words{}, nil
		}
		return alertword.Words{User: a.User, Remove: gone}, s.rows.Remove(ctx, a.User, gone)
	})
}

// change locks the realm, calls do to change the caller's words, and returns all of them. do stores and returns the
// change, without a user if nothing changed.
func (s *service) change(
	ctx context.Context,
	a kit.Actor,
	in request,
	do func(ctx context.Context, had, sent []string) (alertword.Words, error),
) (list, error) {
	sent, err := alertword.Clean(in.Words)
	if err != nil {
		return list{}, err
	}
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (list, error) {
		if _, err := s.Log.Lock(ctx, a.Realm); err != nil {
			return list{}, err
		}
		of, err := s.rows.Of(ctx, a.User)
		if err != nil {
			return list{}, err
		}
		words, err := do(ctx, of[a.User], sent)
		if err != nil || words.User == 0 {
			return listed(of[a.User]), err
		}
		e := alertWords.To(a.Realm, event.To(a.User), changed{User: a.User}).Changing(alertword.Shared.Change(words))
		if err := s.Log.Append(ctx, e); err != nil {
			return list{}, err
		}
		return s.list(ctx, a, kit.None{})
	})
}

// profileDeleted removes all words of a user whose profile is deleted.
func (s *service) profileDeleted(ctx context.Context, m *user.ProfileDeleted) error {
	if _, err := s.Log.Lock(ctx, m.Realm); err != nil {
		return err
	}
	of, err := s.rows.Of(ctx, m.User.ID)
	gone := keys(of[m.User.ID])
	if err != nil || len(gone) == 0 {
		return err
	}
	if err := s.rows.Remove(ctx, m.User.ID, gone); err != nil {
		return err
	}
	words := alertword.Words{User: m.User.ID, Remove: gone}
	return s.Log.Append(ctx, alertWords.To(m.Realm, event.To(m.User.ID), changed{User: m.User.ID}).
		Changing(alertword.Shared.Change(words)))
}

func keys(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = alertword.Key(w)
	}
	return out
}
