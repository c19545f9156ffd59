package mail

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module implements the outbox.
var Module = kit.Provide(
	"mail",
	"Queues emails with the changes that they report, and retries until they are sent.",
	Config{Tries: 12, FirstRetry: time.Minute, LongestRetry: 6 * time.Hour, AtOnce: 200},
	wire,
)

// Config configures retries.
type Config struct {
	Tries        int           `yaml:"tries"`         // maximum number of attempts to send an email
	FirstRetry   time.Duration `yaml:"first_retry"`   // wait after the first attempt; it doubles with each attempt
	LongestRetry time.Duration `yaml:"longest_retry"` // maximum wait
	// maximum number of emails sent per run; the next run, some seconds later, sends further ones
	AtOnce int `yaml:"at_once"`
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.Tries < 1 || c.Tries > 100:
		return errors.New("tries: want 1 to 100")
	case c.FirstRetry <= 0:
		return errors.New("first_retry: want a time above 0")
	case c.LongestRetry < c.FirstRetry:
		return errors.New("longest_retry: want no less than first_retry")
	case c.AtOnce < 1:
		return errors.New("at_once: want a positive number")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB     *bunstore.DB
	Work   ports.UnitOfWork
	Clock  ports.Clock
	Node   ports.Node
	Mailer ports.Mailer
	Audit  ports.Audit
	Log    *slog.Logger

	Metrics *ports.Metrics

	Composed kit.QueryAll[mail.Composition, *mail.Message]
}

type service struct {
	needs
	cfg     Config
	store   store
	backlog kit.Backlog
	sent    *ports.Counter
}

const (
	runTimeout = 10 * time.Minute // maximum duration of a run of the job
	retry      = 10 * time.Second // time until the next attempt after an internal error
)

func wire(cfg Config, n needs) (kit.Parts, ports.Outbox, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}, backlog: kit.Backlog{Earliest: earliest}}
	s.measure()
	return kit.Parts{
		Tables:     []kit.Table{kit.NotExported[row]("emails waiting to be sent").OnRestore(kit.Outgoing)},
		Leases:     []kit.Lease{{Table: "mail_queue", Column: "holder", Due: "due_at"}},
		Migrations: migrations,
		Answers:    []kit.Answer{kit.Answers(s.describeRealm)},
		Health:     []kit.Check{{Name: "delivery", Run: s.check, Minor: true}},
		Jobs: []kit.Job{
			{Name: "send_mails", Every: 5 * time.Second, Backlog: &s.backlog, Timeout: runTimeout, Run: s.send},
		},
		Commands: s.commands(),
	}, s, nil
}

// Delivers implements ports.Outbox.
func (s *service) Delivers() bool { return s.Mailer.Delivers() }

// describeRealm answers realm.Description: clients learn whether the server sends email, so that they offer only what
// works.
func (s *service) describeRealm(_ context.Context, q realm.Description) (map[string]any, error) {
	const key = "stoa_sends_email"
	if !q.Asks(key) {
		return nil, nil
	}
	return map[string]any{key: s.Delivers()}, nil
}

// Post queues emails; see ports.Outbox.
func (s *service) Post(ctx context.Context, r realm.ID, letters ...mail.Letter) error {
	now := s.Clock.Now()
	rows := make([]row, len(letters))
	for i, l := range letters {
		rows[i] = row{RealmID: r, Kind: l.Kind, Ref: l.Ref, MessageID: rand.Text(), DueAt: now, CreatedAt: now}
	}
	s.Work.AfterCommit(ctx, s.backlog.Added)
	return s.store.Add(ctx, rows)
}

// send sends due emails. After several consecutive failures it leaves the rest to a later run.
func (s *service) send(ctx context.Context) error {
	ctx, holder, done := s.Node.Hold(ctx)
	defer done()
	failed := 0
	for range s.cfg.AtOnce {
		next, err := s.next(ctx, holder)
		if err != nil || next == nil {
			return err
		}
		ok, err := s.deliver(ctx, next)
		if err != nil {
			return err
		}
		if ok {
			failed = 0
			continue
		}
		if failed++; failed == maxFailed {
			return nil
		}
	}
	return nil
}

// maxFailed is the number of consecutive failures after which a run ends.
const maxFailed = 3

// next claims the email that has been due longest, or returns nil. If this node crashes, another one sends it again.
func (s *service) next(ctx context.Context, holder string) (*row, error) {
	return kit.Tx(ctx, s.Work, func(ctx context.Context) (*row, error) {
		now := s.Clock.Now()
		return s.store.Claim(ctx, holder, now, now.Add(retry))
	})
}

// compose returns the email to send, or nil if there is no longer anything to send.
func (s *service) compose(ctx context.Context, r *row) (*mail.Message, error) {
	all, err := s.Composed.Ask(ctx, mail.Composition{Realm: r.RealmID, Letter: mail.Letter{Kind: r.Kind, Ref: r.Ref}})
	for _, m := range all {
		if m != nil {
			m.ID = r.MessageID
			return m, err
		}
	}
	return nil, err
}

// deliver composes and sends an email, and reports whether it has left the queue.
func (s *service) deliver(ctx context.Context, r *row) (bool, error) {
	m, err := s.compose(ctx, r)
	if err == nil && m != nil {
		err = s.Mailer.Send(ctx, *m)
		s.sent.Add(1, ports.Outcome(err))
	}
	switch {
	case err == nil:
		return true, s.remove(ctx, r)
	case ctx.Err() != nil: // the server is stopping: restore the email's position in the queue
		return false, errors.Join(ctx.Err(), s.postpone(context.WithoutCancel(ctx), r.ID, r.DueAt))
	case errs.Is(err, errs.BadRequest):
		s.Log.WarnContext(ctx, "dropping an email that was rejected", "kind", r.Kind, "mail", r.ID, "error", err)
		return true, s.remove(ctx, r)
	case r.Tries >= s.cfg.Tries:
		s.Log.WarnContext(ctx, "dropping an email that could not be sent", "kind", r.Kind, "mail", r.ID, "tries", r.Tries,
			"error", err)
		return true, s.remove(ctx, r)
	}
	wait := s.wait(r.Tries)
	s.Log.WarnContext(ctx, "an email could not be sent and will be retried", "kind", r.Kind, "mail", r.ID, "tries",
		r.Tries, "in", wait, "error", err)
	return false, s.postpone(ctx, r.ID, s.Clock.Now().Add(wait))
}

// overdue is how long an email may wait before the health check fails. It exceeds the delay of mail servers that defer
// the first attempt.
const overdue = 10 * time.Minute

// check fails while there are overdue emails.
func (s *service) check(ctx context.Context) error {
	n, err := s.store.Overdue(ctx, s.Clock.Now().Add(-overdue))
	if err == nil && n > 0 {
		err = fmt.Errorf("%d emails could not be sent for more than %v", n, overdue)
	}
	return err
}

func (s *service) postpone(ctx context.Context, id int64, until time.Time) error {
	return s.Work.Do(ctx, func(ctx context.Context) error { return s.store.Postpone(ctx, id, until) })
}

// remove deletes an email from the queue. It ignores cancellation, because an email that stays in the queue after it
// was sent would be sent again.
func (s *service) remove(ctx context.Context, r *row) error {
	return s.Work.Do(context.WithoutCancel(ctx), func(ctx context.Context) error { return s.store.Remove(ctx, r.ID) })
}

// wait returns the time to wait after the given number of attempts.
func (s *service) wait(tries int) time.Duration {
	wait := s.cfg.FirstRetry
	for range tries - 1 {
		if wait *= 2; wait >= s.cfg.LongestRetry {
			return s.cfg.LongestRetry
		}
	}
	return wait
}
