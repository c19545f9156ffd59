package identities

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/language"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit/page"
)

const (
	codeDigits  = 8
	codeWindow  = 24 * time.Hour
	codesWithin = 5 // codes that are mailed in the window to an address, and for a person at a provider

	// letterKind identifies the module's emails in the outbox.
	letterKind = "identities"
)

// mails reports whether a refusal can be spared by mailing a code to the address, which shows that it is the person's.
func (s *service) mails(id signin.Identity, started signin.Started, verdict signin.Verdict, why signin.Reason) bool {
	return verdict == signin.Refuse && why == signin.Unverified && id.Email != "" && started.Intent == signin.LogIn &&
		s.Outbox != nil && s.Outbox.Delivers()
}

// mailCode keeps what a provider has said until the person has entered the code from the email. It does the same
// whether or not there is an account with the address. It must be called inside Do. Errors: RateLimit.
func (s *service) mailCode(
	ctx context.Context, r *http.Request, by user.Actor, p signin.Provider, started signin.Started, id signin.Identity,
) (content, error) {
	now, subject := s.Clock.Now(), session.Hash(p.ID+" "+id.Subject)
	sent, err := s.rows.CodesSince(ctx, by.Realm, user.EmailKey(id.Email), subject, now.Add(-codeWindow))
	if err == nil && sent >= codesWithin {
		err = errs.New(errs.RateLimit, "Too many emails have been sent. Please try again later.").
			With("retry-after", codeWindow.Seconds())
	}
	if err != nil {
		return content{}, err
	}
	kept, err := json.Marshal(pending{Provider: p, Identity: id, Mailed: true})
	if err != nil {
		return content{}, err
	}
	state, to := newSecret(), started.Flow
	f := &flow{
		Hash: session.Hash(state), RealmID: by.Realm, Provider: p.ID, Intent: started.Intent,
		Browser: session.Hash(started.Browser), Next: to.Next,
		Mobile: hex.EncodeToString(to.Mobile), Desktop: hex.EncodeToString(to.Desktop),
		Identity: string(kept), EndsAt: s.end(to),
	}
	if err := s.rows.AddFlow(ctx, f); err != nil {
		return content{}, err
	}
	c := &code{
		RealmID: by.Realm, Flow: f.Hash, Provider: p.Name, Subject: subject, Email: user.EmailKey(id.Email),
		Address: id.Email, Language: page.Language(r), Code: newCode(), CreatedAt: now.Unix(),
	}
	if err := s.rows.AddCode(ctx, c); err != nil {
		return content{}, err
	}
	return content{Mailed: true, State: state, Email: id.Email},
		s.Outbox.Post(ctx, by.Realm, mail.Letter{Kind: letterKind, Ref: int64(c.ID)})
}

// newCode returns random digits. Five of them can be tried for each email.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return fmt.Sprintf("%0*d", codeDigits, n)
}

// codePage handles the form with the code from an email.
func (s *service) codePage(r *http.Request, by user.Actor, f *flow, kept pending) (content, error) {
	ctx := r.Context()
	c := content{
		Provider: kept.Provider.Name, Mailed: true, State: r.PostForm.Get("state"), Email: kept.Identity.Email,
	}
	if err := s.try(ctx, f); err != nil {
		return content{}, err
	}
	want, err := s.rows.CodeOf(ctx, f.Hash)
	if err != nil {
		return content{}, err
	}
	given := strings.NewReplacer(" ", "", "-", "").Replace(r.PostForm.Get("code"))
	if want == "" || subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		c.Wrong = true
		return c, nil
	}
	var done content
	err = s.Work.Do(ctx, func(ctx context.Context) error {
		if err := s.take(ctx, f); err != nil {
			return err
		}
		started, id := f.started(""), kept.Identity
		started.Browser, id.Verified = browserOf(r), true
		done, err = s.decide(ctx, r, by, kept.Provider, started, id)
		return err
	})
	var refused *signin.RefusalError
	if errors.As(err, &refused) {
		return content{}, s.Refused(ctx, by.Realm, kept.Provider, kept.Identity, refused)
	}
	done.Provider = kept.Provider.Name
	return done, err
}

// write answers mail.Composition with the email that contains a code, while that can be used.
func (s *service) write(ctx context.Context, q mail.Composition) (*mail.Message, error) {
	if q.Letter.Kind != letterKind {
		return nil, nil
	}
	c, err := s.rows.Code(ctx, codeID(q.Letter.Ref))
	if err != nil || c == nil {
		return nil, err
	}
	f, err := s.rows.Flow(ctx, c.RealmID, c.Flow, s.Clock.Now())
	if err != nil || f == nil {
		return nil, err
	}
	v, err := s.Directory.View(ctx, c.RealmID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil || v.Realm() == nil || v.Realm().Deactivated {
		return nil, err
	}
	l := language.Choose(c.Language, v.Realm().Settings.DefaultLanguage)
	name := mail.Name(v.Realm().Settings.Name)
	if name == "" {
		name = l.T("an organization")
	}
	return &mail.Message{
		To: c.Address, Subject: mail.Line(l.T("Your code for %s", name)),
		Text: strings.Join([]string{
			l.T("Hello,"),
			l.T("someone, probably you, logs in to %s with %s and this address. To continue, enter this code in the browser:",
				name, mail.Name(c.Provider)),
			c.Code[:codeDigits/2] + " " + c.Code[codeDigits/2:],
			l.T("If you were not expecting this email, you can ignore it."),
		}, "\n\n") + "\n",
	}, nil
}
