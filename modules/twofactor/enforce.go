package twofactor

import (
	"context"
	"slices"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// chunk is how many users a statement reads or changes.
const chunk = 1000

// enforce is the job that begins the days to set up a second factor for everybody once anybody has been asked for one,
// and ends the sessions and API keys of people who have none when these are over: otherwise they would last for as long
// as they are used.
func (s *service) enforce(ctx context.Context) error {
	all, err := s.rows.AskingRealms(ctx) // others are not loaded for this
	if err != nil {
		return err
	}
	for _, r := range all {
		v, err := s.Directory.View(ctx, r)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if required.In(v) == nobody {
			continue
		}
		if err := s.enforceIn(ctx, r, v); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) enforceIn(ctx context.Context, r realm.ID, v *directory.View) error {
	var people []user.ID
	for u := range v.Users() {
		if u.Active && !u.IsBot() && !u.System && applies(v, u) {
			people = append(people, u.ID)
		}
	}
	slices.Sort(people) // so that all nodes lock rows in the same order
	for some := range slices.Chunk(people, chunk) {
		var late []user.ID
		err := s.Work.Do(ctx, func(ctx context.Context) error {
			var err error
			late, err = s.askAll(ctx, r, some)
			return err
		})
		if err != nil {
			return err
		}
		for _, id := range late {
			if err := s.Work.Do(ctx, func(ctx context.Context) error { return s.endLogins(ctx, r, id) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// askAll notes of whom the organization requires a second factor, and returns those who should have set it up by now.
// It must be called inside Do.
func (s *service) askAll(ctx context.Context, r realm.ID, people []user.ID) ([]user.ID, error) {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil, err
	}
	if err := s.rows.AskAll(ctx, r, people, s.Clock.Now()); err != nil {
		return nil, err
	}
	if err := s.rows.ForgetEnded(ctx, people); err != nil { // of people who have set up a factor since
		return nil, err
	}
	lacking, err := s.rows.Lacking(ctx, people)
	var late []user.ID
	for _, f := range lacking {
		if f.EndedAt == 0 && !s.Clock.Now().Before(due(v, f)) {
			late = append(late, f.UserID)
		}
	}
	return late, err
}

// endLogins ends the sessions and API keys of a user who has no second factor in time. It does so once, because later
// logins have been asked for one, here or by a provider that is trusted with it. It must be called inside Do.
func (s *service) endLogins(ctx context.Context, r realm.ID, id user.ID) error {
	late, err := s.askAll(ctx, r, []user.ID{id}) // the user may have set it up meanwhile
	if err != nil || len(late) == 0 {
		return err
	}
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return err
	}
	if u := v.User(id); u == nil || !u.Active || !applies(v, u) {
		return nil
	}
	if err := s.rows.SetEnded(ctx, id, s.Clock.Now()); err != nil {
		return err
	}
	if err := s.SignIns.EndAll(ctx, r, id, 0); err != nil {
		return err
	}
	return s.Credentials.RevokeKeys(ctx, user.Actor{Realm: r, System: true, Client: "Internal"}, id)
}
