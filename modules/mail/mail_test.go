package mail_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	mailmodule "github.com/stoachat/stoa/modules/mail"
)

func TestModule(t *testing.T) { kittest.Check(t, mailmodule.Module, (&mailtest.Fake{}).Module()) }

// writer is a module that composes emails.
type writer struct {
	asked  []mail.Letter
	write  func() (*mail.Message, error)
	to     string
	realms []int64
}

func (w *writer) module() kit.Module {
	return kit.Define("writer", "Composes emails.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		return kit.Parts{Answers: []kit.Answer{kit.Answers(w.compose)}}, nil
	})
}

// compose answers mail.Composition.
func (w *writer) compose(_ context.Context, q mail.Composition) (*mail.Message, error) {
	w.asked = append(w.asked, q.Letter)
	w.realms = append(w.realms, int64(q.Realm))
	if w.write != nil {
		return w.write()
	}
	return &mail.Message{To: w.to, Subject: fmt.Sprintf("Letter %d", q.Letter.Ref), Text: "Text\n"}, nil
}

func start(t *testing.T, config string) (*kittest.Server, *mailtest.Fake, *writer) {
	t.Helper()
	f, w := &mailtest.Fake{}, &writer{to: "eve@example.com"}
	return kittest.StartWith(t, kittest.Options{Config: config}, mailmodule.Module, f.Module(), w.module()), f, w
}

func post(s *kittest.Server, refs ...int64) {
	s.T.Helper()
	s.Do(func(ctx context.Context) error {
		var letters []mail.Letter
		for _, ref := range refs {
			letters = append(letters, mail.Letter{Kind: "test", Ref: ref})
		}
		return s.Ports.Outbox.Post(ctx, s.Realm, letters...)
	})
}

func TestSent(t *testing.T) {
	s, f, w := start(t, "")
	if !s.Ports.Outbox.Delivers() {
		t.Error("the outbox does not deliver")
	}
	refused := errors.New("refused")
	err := s.Ports.Work.Do(t.Context(), func(ctx context.Context) error {
		return errors.Join(refused, s.Ports.Outbox.Post(ctx, s.Realm, mail.Letter{Kind: "test", Ref: 9}))
	})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	post(s)
	post(s, 1, 2)
	if f.Tries() != 0 || len(w.asked) != 0 {
		t.Error("sent within the transaction")
	}
	s.RunJob("mail.send_mails")
	got := f.Received()
	if len(got) != 2 || got[0].Subject != "Letter 1" || got[1].Subject != "Letter 2" || got[0].ID == got[1].ID {
		t.Errorf("%+v", got)
	}
	if !slices.Equal(w.asked, []mail.Letter{{Kind: "test", Ref: 1}, {Kind: "test", Ref: 2}}) ||
		w.realms[0] != int64(s.Realm) {
		t.Errorf("%v", w.asked)
	}
	s.Clock.Advance(24 * time.Hour)
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 0 {
		t.Errorf("sent again: %v", got)
	}
}

func TestRetries(t *testing.T) {
	s, f, _ := start(t, "modules: {mail: {tries: 5, first_retry: 1m, longest_retry: 3m}}")
	f.Fail(errors.New("down"))
	post(s, 1)
	for i, wait := range []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute, 3 * time.Minute} {
		s.RunJob("mail.send_mails")
		if n := f.Tries(); n != 1 {
			t.Fatalf("attempt %d: %d attempts were made", i, n)
		}
		s.Clock.Advance(wait - time.Second)
		s.RunJob("mail.send_mails")
		if n := f.Tries(); n != 0 {
			t.Fatalf("attempt %d: retried too early", i)
		}
		s.Clock.Advance(time.Second)
	}
	s.RunJob("mail.send_mails")
	if n := f.Tries(); n != 1 {
		t.Fatalf("the last attempt: %d attempts were made", n)
	}
	f.Fail(nil)
	s.Clock.Advance(24 * time.Hour)
	s.RunJob("mail.send_mails")
	if n := f.Tries(); n != 0 {
		t.Error("the email was not dropped")
	}
}

func TestAcceptedLater(t *testing.T) {
	s, f, w := start(t, "")
	w.to = mailtest.Later
	post(s, 1)
	s.RunJob("mail.send_mails")
	f.AcceptLater()
	s.Restart()
	s.Clock.Advance(time.Minute)
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 1 || got[0].To != mailtest.Later {
		t.Errorf("%v", got)
	}
}

func TestRefused(t *testing.T) {
	s, f, w := start(t, "")
	for name, write := range map[string]func() (*mail.Message, error){
		"by the server": func() (*mail.Message, error) {
			return &mail.Message{To: mailtest.Refused, Subject: "x", Text: "x\n"}, nil
		},
		"for an invalid header": func() (*mail.Message, error) {
			return &mail.Message{To: "eve@example.com", Subject: "x\nBcc: all@example.com", Text: "x\n"}, nil
		},
		"by the composer":   func() (*mail.Message, error) { return nil, errs.Bad("No") },
		"without a message": func() (*mail.Message, error) { return nil, nil },
	} {
		w.write = write
		post(s, 1)
		s.RunJob("mail.send_mails")
		f.Tries()
		s.Clock.Advance(24 * time.Hour)
		w.asked = nil
		s.RunJob("mail.send_mails")
		if len(f.Received()) != 0 || f.Tries() != 0 || len(w.asked) != 0 {
			t.Errorf("%s: it was retried", name)
		}
	}
	w.write = func() (*mail.Message, error) { return nil, errors.New("no database") }
	post(s, 1)
	s.RunJob("mail.send_mails")
	w.write = nil
	s.Clock.Advance(time.Minute)
	s.RunJob("mail.send_mails")
	if len(f.Received()) != 1 {
		t.Error("an email that could not be composed was not sent later")
	}
}

// While the mail server is down, only a few emails are attempted per run. The others lose no attempts.
func TestDown(t *testing.T) {
	s, f, _ := start(t, "modules: {mail: {tries: 1}}")
	f.Fail(errors.New("down"))
	post(s, 1, 2, 3, 4, 5)
	s.RunJob("mail.send_mails")
	if n := f.Tries(); n > 5 || n < 3 {
		t.Errorf("tried %d", n)
	}
	s2, f2, _ := start(t, "")
	f2.Fail(errors.New("down"))
	post(s2, 1, 2, 3, 4, 5)
	s2.RunJob("mail.send_mails")
	if n := f2.Tries(); n != 3 {
		t.Errorf("tried %d", n)
	}
	f2.Fail(nil)
	s2.Clock.Advance(time.Minute)
	s2.RunJob("mail.send_mails")
	if got := f2.Received(); len(got) != 5 {
		t.Errorf("sent %d", len(got))
	}
}

// The health check fails while emails cannot be sent.
func TestHealth(t *testing.T) {
	s, f, _ := start(t, "")
	is := func(want string) {
		t.Helper()
		var got struct{ Checks map[string]string }
		s.Anonymous().Under("").Do("GET /health").JSON(&got)
		if got.Checks["mail.delivery"] != want {
			t.Errorf("mail.delivery: %v, want %s", got.Checks, want)
		}
	}
	f.Fail(errors.New("down"))
	post(s, 1)
	s.RunJob("mail.send_mails")
	is("ok")
	s.Clock.Advance(10 * time.Minute)
	is("failing")
	f.Fail(nil)
	s.RunJob("mail.send_mails")
	is("ok")
}

func TestAtOnce(t *testing.T) {
	s, f, _ := start(t, "modules: {mail: {at_once: 2}}")
	post(s, 1, 2, 3)
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 2 {
		t.Errorf("sent %d", len(got))
	}
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 1 {
		t.Errorf("sent %d", len(got))
	}
}

// If a node crashes during delivery, the email is sent again with the same Message-ID. While one node sends an email,
// no other does.
func TestNodeCrashes(t *testing.T) {
	f, w := &mailtest.Fake{}, &writer{to: "eve@example.com"}
	s := kittest.StartWith(t, kittest.Options{Log: slog.New(slog.DiscardHandler)}, mailmodule.Module, f.Module(),
		w.module())
	post(s, 1)
	f.OnAccept(func(mail.Message) {
		f.OnAccept(nil)
		s.RunJob("mail.send_mails")
		panic("lost")
	})
	if err := s.App.RunJob(t.Context(), "mail.send_mails"); err == nil {
		t.Error("no mail was interrupted")
	}
	first := f.Received()
	if len(first) != 1 {
		t.Fatalf("sent %d", len(first))
	}
	s.Clock.Advance(9 * time.Second)
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 0 {
		t.Errorf("sent %d before the lease expired", len(got))
	}
	s.Clock.Advance(time.Second)
	s.RunJob("mail.send_mails")
	if again := f.Received(); !slices.Equal(again, first) {
		t.Errorf("%v, want %v", again, first)
	}
}

// If the server stops before an email is accepted, it sends the email again after the restart.
func TestServerStopsBeforeAcceptance(t *testing.T) {
	s, f, w := start(t, "")
	post(s, 1, 2)
	ctx, stop := context.WithCancel(t.Context())
	w.write = func() (*mail.Message, error) { stop(); return nil, errors.New("interrupted") }
	if err := s.App.RunJob(ctx, "mail.send_mails"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	w.write = nil
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 2 || got[0].Subject != "Letter 1" {
		t.Errorf("%v", got)
	}
}

// If the server stops after an email was accepted, it does not send the email again.
func TestServerStopsAfterAcceptance(t *testing.T) {
	s, f, _ := start(t, "")
	post(s, 1, 2)
	ctx, stop := context.WithCancel(t.Context())
	f.OnAccept(func(mail.Message) { stop() })
	if err := s.App.RunJob(ctx, "mail.send_mails"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	f.OnAccept(nil)
	s.Clock.Advance(24 * time.Hour)
	s.RunJob("mail.send_mails")
	if got := f.Received(); len(got) != 2 || got[0].Subject != "Letter 1" || got[1].Subject != "Letter 2" {
		t.Errorf("%v", got)
	}
}

func TestConfig(t *testing.T) {
	for want, c := range map[string]mailmodule.Config{
		"tries":         {Tries: 0, FirstRetry: 1, LongestRetry: 1, AtOnce: 1},
		"first_retry":   {Tries: 1, LongestRetry: 1, AtOnce: 1},
		"longest_retry": {Tries: 1, FirstRetry: 2, LongestRetry: 1, AtOnce: 1},
		"at_once":       {Tries: 1, FirstRetry: 1, LongestRetry: 1},
	} {
		if err := c.Validate(); err == nil || err.Error()[:len(want)] != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}
