package mail

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
)

// commands returns the commands about emails.
func (s *service) commands() []kit.Command {
	return []kit.Command{
		kit.NewCommand("mail test", s.commandTest, "Send a test email with the settings of adapters.mail.").OfServer().
			WithoutDatabase(),
		kit.NewCommand("mail queue list", s.commandList, "List the emails that wait to be sent, without their texts."),
		kit.NewCommand("mail queue retry", s.commandRetry, "Send waiting emails now, instead of when they are due."),
		kit.Confirm(kit.NewCommand("mail queue drop", s.commandDrop, "Delete waiting emails, which are then never sent."),
			s.wouldDrop),
	}
}

type testFlags struct {
	Address string `arg:"" help:"Email address to send it to."`
}

// tested is the output of mail test.
type tested struct {
	Address string `json:"address"`
}

func (t tested) String() string {
	return fmt.Sprintf("The mail server has accepted a test email to %s.", t.Address)
}

func (s *service) commandTest(ctx context.Context, _ kit.Actor, in testFlags) (tested, error) {
	if !s.Delivers() {
		return tested{}, errs.Bad(
			"this server sends no email: set adapters.mail.use to smtp, with host and from, and http.url")
	}
	err := s.Mailer.Send(ctx, mail.Message{
		ID: rand.Text(), To: in.Address, Subject: "Test email from Stoa",
		Text: "Hello,\n\nthis is a test email from your Stoa server. It can send email.\n",
	})
	if err != nil {
		return tested{}, errs.Bad("the test email was not sent: %v", err)
	}
	return tested(in), nil
}

// listed is an email in the output of mail queue list.
type listed struct {
	ID      int64     `json:"id"`
	Kind    string    `json:"kind"`
	Tries   int       `json:"tries"`
	Created time.Time `json:"created"`
	Due     time.Time `json:"due"`
	Sending bool      `json:"sending"`
}

// maxListed is the maximum number of emails that a command lists.
const maxListed = 1000

func (s *service) commandList(ctx context.Context, a kit.Actor, _ kit.None) ([]listed, error) {
	rows, err := s.store.Of(ctx, a.Realm, maxListed)
	out := make([]listed, len(rows))
	for i, r := range rows {
		out[i] = listed{r.ID, r.Kind, r.Tries, r.CreatedAt.UTC(), r.DueAt.UTC(), r.Holder != ""}
	}
	return out, err
}

// selection selects emails that no node is sending.
type selection struct {
	ID  int64 `arg:"" optional:"" help:"ID of the email: see stoa mail queue list."`
	All bool  `help:"All emails of the organization."`
}

// Validate checks that the emails are selected in exactly one way.
func (f selection) Validate() error {
	if (f.ID != 0) == f.All {
		return errs.New(errs.Missing, "select an email by its ID, or all with --all")
	}
	return nil
}

// found returns an error with Gone if n emails were selected by an ID, and that is none.
func (f selection) found(n int64) error {
	if n == 0 && !f.All {
		return errs.Absent("no email %d waits to be sent; see stoa mail queue list", f.ID)
	}
	return nil
}

// changed is the output of commands that change the queue.
type changed struct {
	Emails int64  `json:"emails"`
	Text   string `json:"text"` // what was done
}

func (c changed) String() string { return c.Text }

func (s *service) commandRetry(ctx context.Context, a kit.Actor, in selection) (changed, error) {
	n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
		s.Work.AfterCommit(ctx, s.backlog.Added)
		n, err := s.store.Hasten(ctx, a.Realm, in.ID, s.Clock.Now())
		if err == nil {
			err = in.found(n)
		}
		return n, err
	})
	return changed{n, fmt.Sprintf("%d emails are due now", n)}, err
}

func (s *service) wouldDrop(ctx context.Context, a kit.Actor, in selection) (kit.Effect, error) {
	n, err := s.store.Idle(ctx, a.Realm, in.ID)
	if err == nil {
		err = in.found(n)
	}
	return kit.Effect{
		Text: fmt.Sprintf("delete %d emails that were not sent yet", n), Counts: map[string]int{"emails": int(n)},
	}, err
}

func (s *service) commandDrop(ctx context.Context, a kit.Actor, in selection) (changed, error) {
	n, err := kit.Tx(ctx, s.Work, func(ctx context.Context) (int64, error) {
		n, err := s.store.Drop(ctx, a.Realm, in.ID)
		if err == nil {
			err = in.found(n)
		}
		if err != nil || n == 0 {
			return n, err
		}
		return n, s.Audit.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.MailDropped, Target: audit.To(audit.Realm, a.Realm),
			Old: audit.Values{"emails": n},
		})
	})
	return changed{n, fmt.Sprintf("deleted %d emails", n)}, err
}
