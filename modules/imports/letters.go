package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/imports/internal/store"
)

// Limits on emails with links, over all imports of an organization: an archive can name anybody as a person.
const (
	mailingsPerDay = 5         // requests of an organization
	lettersPerDay  = 3         // emails to an address
	letterPause    = time.Hour // between two emails to an address
	letterPeriod   = 24 * time.Hour
	perLetterDrop  = 1000
)

// admitMailing records that an owner has links sent. Errors: RateLimit.
func (s *service) admitMailing(ctx context.Context, r domainrealm.ID) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		if _, err := s.Log.Lock(ctx, r); err != nil {
			return err
		}
		now := s.Clock.Now()
		sent, err := s.rows.Letters(ctx, r, "", now.Add(-letterPeriod))
		if err != nil {
			return err
		}
		if len(sent) >= mailingsPerDay {
			return mailedEnough(sent[len(sent)-mailingsPerDay].Add(letterPeriod).Sub(now))
		}
		return s.rows.AddLetter(ctx, &store.Letter{RealmID: r, SentAt: now})
	})
}

func mailedEnough(pause time.Duration) error {
	return errs.New(errs.RateLimit, "Links have been sent by email too often. Please try again later.").
		With("retry-after", max(1, pause.Seconds()))
}

// mailLink sends a person a link, unless they have been sent enough of them: then it returns how long to wait.
func (s *service) mailLink(
	ctx context.Context, r, target domainrealm.ID, u *user.User,
) (pause time.Duration, err error) {
	hash := sha256.Sum256([]byte(user.EmailKey(u.DeliveryEmail)))
	l := &store.Letter{RealmID: r, Address: hex.EncodeToString(hash[:])}
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		now := s.Clock.Now()
		sent, err := s.rows.Letters(ctx, r, l.Address, now.Add(-letterPeriod))
		if err != nil {
			return err
		}
		pause = 0
		if n := len(sent); n > 0 {
			pause = sent[n-1].Add(letterPause).Sub(now)
			if n >= lettersPerDay {
				pause = sent[n-lettersPerDay].Add(letterPeriod).Sub(now)
			}
		}
		if pause > 0 {
			return nil
		}
		l.SentAt = now
		if err := s.rows.AddLetter(ctx, l); err != nil {
			return err
		}
		return s.Links.Mail(ctx, target, u.ID)
	})
	return max(0, pause), err
}

// expireLetters deletes what is no longer counted.
func (s *service) expireLetters(ctx context.Context) error {
	for n := int64(perLetterDrop); n == perLetterDrop; {
		err := s.Work.Do(ctx, func(ctx context.Context) (err error) {
			n, err = s.rows.DropLetters(ctx, s.Clock.Now().Add(-letterPeriod), perLetterDrop)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
