package invites

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
)

// secret gives what keys are made with, and makes it when it is needed for the first time.
func (s *service) secret(ctx context.Context) (invite.Secret, error) {
	secret, err := s.keeper.Secret(ctx)
	return invite.Secret(secret), err
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// nonceBytes is how much of a key is stored. It makes the key of an id another one after the database was set back.
const nonceBytes = 16

// find gives the invitation that a key is for. Errors: NotFound, the same for all keys with which nobody can join.
func (s *service) find(ctx context.Context, key string) (*invite.Invite, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	id, proof, ok := invite.Parse(key)
	if !ok {
		return nil, over()
	}
	i, err := s.store.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	known := i
	if i == nil {
		known = &invite.Invite{ID: id}
	}
	if !secret.Proves(known, proof) || i == nil || !i.Pending(s.Clock.Now()) {
		return nil, over()
	}
	return i, nil
}

// over is the refusal of what nobody can join with, whether it has ever been any good or not.
func over() error {
	return errs.New(errs.NotFound, "This invitation is not valid: it may have been used or revoked, or its time is over.")
}

// forget removes what is of no more use to anybody.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		if err := s.store.Forget(ctx, now.Add(-keep)); err != nil {
			return err
		}
		return s.store.ForgetSent(ctx, now.Add(-day))
	})
}

// keep is for how long an invitation is kept that is over, for whoever revokes it twice.
const keep = 30 * 24 * time.Hour
