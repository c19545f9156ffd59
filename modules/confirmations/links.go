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

// Where the pages are.
const (
	addressPath  = "/accounts/confirm_new_email"
	passwordPath = "/accounts/password/reset"
)

// link gives the address to open.
func link(secret linkkey.Secret, site string, c *confirmation.Confirmation) string {
	path := addressPath
	if c.Kind == confirmation.Password {
		path = passwordPath
	}
	return site + path + "/" + secret.Key(c.Kind.String(), int64(c.ID), c.Nonce) + "/"
}

// post stores a confirmation and has its mail sent.
func (s *service) post(ctx context.Context, c confirmation.Confirmation, validity time.Duration) error {
	if err := s.add(ctx, &c, validity); err != nil {
		return err
	}
	return s.Outbox.Post(ctx, c.Realm, mail.Letter{Kind: letterKind, Ref: int64(c.ID)})
}

// add stores a new confirmation with a nonce.
func (s *service) add(ctx context.Context, c *confirmation.Confirmation, validity time.Duration) error {
	b := make([]byte, linkkey.NonceBytes)
	_, _ = rand.Read(b) // never fails
	c.Nonce, c.Created = hex.EncodeToString(b), s.Clock.Now()
	if c.Expires = c.Created.Add(validity); c.Kind == confirmation.Notice {
		c.Ended = c.Created
	}
	return s.store.Add(ctx, c)
}

// find gives what a key is for. Errors: NotFound, the same for all keys that are of no use.
func (s *service) find(ctx context.Context, k confirmation.Kind, key string) (*confirmation.Confirmation, error) {
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return nil, err
	}
	id, proof, ok := linkkey.Parse(key)
	if !ok {
		return nil, over()
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
		return nil, over()
	}
	return c, nil
}

// over is the refusal of links that are of no use, whether they have ever been of any or not.
func over() error {
	return errs.New(errs.NotFound, "This link is not valid: it may have been used, or its time is over.")
}

// keyOf gives the key in the address of a page; "" where there is none. Errors: NotFound.
func keyOf(prefix, path string) (string, error) {
	rest := strings.TrimPrefix(strings.TrimSuffix(path, "/"), prefix)
	key := strings.TrimPrefix(rest, "/")
	if strings.Contains(key, "/") || rest != "" && key == rest {
		return "", over()
	}
	return key, nil
}

// mailless is the refusal where no mail would arrive.
func (s *service) mailless() error {
	if s.Outbox.Delivers() {
		return nil
	}
	return errs.Bad("This server sends no email. Ask an administrator.")
}

// count counts a mail for a subject, unless there have been too many for it, or from where it is asked for. Inside Do,
// after the view. Errors: RateLimit.
func (s *service) count(ctx context.Context, c confirmation.Confirmation, from string) error {
	one, err := s.within(ctx, c, from)
	if err != nil {
		return err
	}
	return s.store.Note(ctx, one)
}

// within gives what count notes, unless there have been too many. Errors: RateLimit.
func (s *service) within(ctx context.Context, c confirmation.Confirmation, from string) (sent, error) {
	secret, err := s.keeper.Secret(ctx)
	if err != nil {
		return sent{}, err
	}
	now := s.Clock.Now()
	one := sent{RealmID: c.Realm, Kind: c.Kind, Subject: user.EmailKey(c.Email), Source: secret.Source(from), SentAt: now}
	if c.Kind == confirmation.Address {
		one.Subject = strconv.FormatInt(int64(c.User), 10)
	}
	hourly, daily := confirmation.Limit{
		Most: s.cfg.HourlyPerPerson,
		Over: time.Hour,
	}, confirmation.Limit{
		Most: s.cfg.DailyPerPerson,
		Over: day,
	}
	of, err := s.store.SentFor(ctx, c.Realm, c.Kind, one.Subject, now.Add(-day), max(hourly.Most, daily.Most))
	if err != nil {
		return sent{}, err
	}
	wait := confirmation.Wait(now, of, hourly, daily)
	if from != "" { // a request, and not the server itself
		here := confirmation.Limit{Most: s.cfg.DailyPerSource, Over: day}
		all, err := s.store.SentFrom(ctx, one.Source, now.Add(-day), here.Most)
		if err != nil {
			return sent{}, err
		}
		wait = max(wait, confirmation.Wait(now, all, here))
	}
	if wait > 0 {
		return sent{}, errs.New(errs.RateLimit, "Too many mails have been asked for. Please try again later.").
			With("retry-after", wait.Seconds())
	}
	return one, nil
}

const day = 24 * time.Hour

// keep is for how long what is over is kept: the mail of a notice may still wait.
const keep = 7 * day

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
