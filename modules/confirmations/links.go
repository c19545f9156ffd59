package confirmations

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/confirmation"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/linkkey"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/user"
)

// Paths of the pages opened by the links.
const (
	addressPath  = "/accounts/confirm_new_email"
	passwordPath = "/accounts/password/reset"
)

// link returns the URL to include in a confirmation's email.
func link(secret linkkey.Secret, site string, c *confirmation.Confirmation) string {
	path := addressPath
	if c.Kind == confirmation.Password {
		path = passwordPath
	}
	return site + path + "/" + secret.Key(c.Kind.String(), int64(c.ID), c.Nonce) + "/"
}

// queueEmail stores a confirmation and queues its email.
func (s *service) queueEmail(ctx context.Context, c confirmation.Confirmation, validity time.Duration) error {
	if err := s.add(ctx, &c, validity); err != nil {
		return err
	}
	return s.Outbox.Post(ctx, c.Realm, mail.Letter{Kind: letterKind, Ref: int64(c.ID)})
}

// add stores a confirmation with a new nonce.
func (s *service) add(ctx context.Context, c *confirmation.Confirmation, validity time.Duration) error {
	b := make([]byte, linkkey.NonceBytes)
	_, _ = rand.Read(b) // never fails
	c.Nonce, c.Created = hex.EncodeToString(b), s.Clock.Now()
	if c.Expires = c.Created.Add(validity); c.Kind == confirmation.Notice {
		c.Ended = c.Created
	}
	return s.store.Add(ctx, c)
}

// find returns the confirmation for a key. Errors: NotFound, the same for all invalid keys.
func (s *service) find(ctx context.Context, k confirmation.Kind, key string) (*confirmation.Confirmation, error) {
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return nil, err
	}
	id, proof, ok := linkkey.Parse(key)
	if !ok {
		return nil, invalidLink()
	}
	c, err := s.store.Get(ctx, confirmation.ID(id))
	if err != nil {
		return nil, err
	}
	nonce := ""
	if c != nil {
		nonce = c.Nonce
	}
	if !secret.Proves(k.String(), id, nonce, proof) || c == nil || c.Kind != k || !c.Pending(s.Clock.Now()) {
		return nil, invalidLink()
	}
	return c, nil
}

// invalidLink is the error for invalid links, whether or not they were ever valid.
func invalidLink() error {
	return errs.New(errs.NotFound, "This link is not valid: it may have been used or expired.")
}

// keyOf returns the key in the URL of a page, or "". Errors: NotFound.
func keyOf(prefix, path string) (string, error) {
	rest := strings.TrimPrefix(strings.TrimSuffix(path, "/"), prefix)
	key := strings.TrimPrefix(rest, "/")
	if strings.Contains(key, "/") || rest != "" && key == rest {
		return "", invalidLink()
	}
	return key, nil
}

// requireDelivery returns a BadRequest error if the server does not send email.
func (s *service) requireDelivery() error {
	if s.Outbox.Delivers() {
		return nil
	}
	return errs.Bad("This server does not send email. Ask an administrator.")
}

// count records an email and returns an error if there were too many for the same person or from the same source. It
// must be called inside Do, after the view has been read. Errors: RateLimit.
func (s *service) count(ctx context.Context, c confirmation.Confirmation, from string) error {
	one, err := s.checkLimit(ctx, c, from)
	if err != nil {
		return err
	}
	return s.store.AddSent(ctx, one)
}

// checkLimit checks the same limits as count and returns the row that count inserts. Errors: RateLimit.
func (s *service) checkLimit(ctx context.Context, c confirmation.Confirmation, from string) (sent, error) {
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return sent{}, err
	}
	now := s.Clock.Now()
	one := sent{RealmID: c.Realm, Kind: c.Kind, Subject: user.EmailKey(c.Email), Source: secret.Source(from), SentAt: now}
	if c.Kind == confirmation.Address {
		one.Subject = strconv.FormatInt(int64(c.User), 10)
	}
	hourly := confirmation.Limit{Most: s.cfg.HourlyPerPerson, Over: time.Hour}
	daily := confirmation.Limit{Most: s.cfg.DailyPerPerson, Over: day}
	of, err := s.store.SentFor(ctx, c.Realm, c.Kind, one.Subject, now.Add(-day), max(hourly.Most, daily.Most))
	if err != nil {
		return sent{}, err
	}
	wait := confirmation.Wait(now, of, hourly, daily)
	if from != "" { // from a client, not the server itself
		here := confirmation.Limit{Most: s.cfg.DailyPerSource, Over: day}
		all, err := s.store.SentFrom(ctx, one.Source, now.Add(-day), here.Most)
		if err != nil {
			return sent{}, err
		}
		wait = max(wait, confirmation.Wait(now, all, here))
	}
	if wait > 0 {
		return sent{}, errs.New(errs.RateLimit, "Too many emails have been requested. Please try again later.").
			With("retry-after", wait.Seconds())
	}
	return one, nil
}

const day = 24 * time.Hour

// keepEnded is how long ended confirmations are stored. Notices end immediately, while their emails may still be
// queued.
const keepEnded = 7 * day

// forget deletes obsolete rows.
func (s *service) forget(ctx context.Context) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		if err := s.store.Forget(ctx, now.Add(-keepEnded)); err != nil {
			return err
		}
		return s.store.ForgetSent(ctx, now.Add(-day))
	})
}
