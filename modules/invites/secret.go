package invites

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/modules/kit"
)

// purpose is what the secret of invitations is sealed for: a copy of the database alone does not tell it.
const purpose = "secret of invitations"

// secret gives what keys are made with, and makes it when it is needed for the first time. Not inside Do: what it has read is kept.
func (s *service) secret(ctx context.Context) (invite.Secret, error) {
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	fresh, err := s.Sealer.Seal(purpose, random(invite.SecretBytes))
	if err != nil {
		return nil, err
	}
	sealed, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (string, error) { return s.store.Secret(ctx, fresh) })
	if err != nil {
		return nil, err
	}
	text, err := s.Sealer.Open(purpose, sealed)
	if err != nil { // no refusal: whoever runs the server must see to it
		return nil, errors.New("the secret of invitations can't be read with the server's secret: give all nodes the secret that it was " +
			"sealed with, or empty the table invite_secret, after which no invitation that is pending can be used: " + err.Error())
	}
	if known, err = hex.DecodeString(text); err != nil {
		return nil, fmt.Errorf("the secret of invitations: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = known
	return known, nil
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
