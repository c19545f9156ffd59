package invites

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
)

// secret returns the secret from which keys are derived. It creates the secret on first use.
func (s *service) secret(ctx context.Context) (invite.Secret, error) {
	secret, err := s.keeper.Secret(ctx)
	return invite.Secret(secret), err
}

func random(bytes int) string {
	b := make([]byte, bytes)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// nonceBytes is the size of an invitation's nonce in bytes. With the nonce, an ID that is reused after a backup has
// been restored gets a different key.
const nonceBytes = 16

// find returns the pending invitation with a key. Errors: NotFound, with the same text for all other keys.
func (s *service) find(ctx context.Context, key string) (*invite.Invite, error) {
	secret, err := s.secret(ctx)
	if err != nil {
		return nil, err
	}
	id, proof, ok := invite.Parse(key)
	if !ok {
		return nil, invalidInvite()
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
		return nil, invalidInvite()
	}
	return i, nil
}

// invalidInvite returns the error for unusable invitations, whether or not they were ever valid.
func invalidInvite() error {
	return errs.New(errs.NotFound, "This invitation is not valid: it may have been used, been revoked or expired.")
}

// prune is the job that deletes old invitations and the records that no limit counts any more.
func (s *service) prune(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		if err := s.store.Forget(ctx, now.Add(-keepEnded)); err != nil {
			return err
		}
		return s.store.ForgetSent(ctx, now.Add(-day))
	})
}

// keepEnded is how long ended invitations are kept, so that revoking one again gives a specific error.
const keepEnded = 30 * 24 * time.Hour
