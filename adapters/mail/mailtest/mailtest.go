// Package mailtest contains the contract test for ports.Mailer, and fakes.
package mailtest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Addresses that a test's mail server treats specially.
const (
	Refused = "refused@example.com" // unknown recipient
	Later   = "later@example.com"   // temporarily refused until AcceptLater is called
)

// Fake is an in-memory mail server.
type Fake struct {
	mu          sync.Mutex
	delivered   []mail.Message
	tries       int
	failure     error
	acceptLater bool
	onAccept    func(mail.Message)
}

// Module returns a module that provides the Fake to a test's server.
func (f *Fake) Module() kit.Module {
	return kit.Adapter("mail", "fake", "Keeps emails for a test.", kit.None{},
		func(kit.None, struct{ fx.In }) (ports.Mailer, error) { return f, nil })
}

// Received returns the emails delivered since the last call, in order.
func (f *Fake) Received() []mail.Message {
	f.mu.Lock()
	defer f.mu.Unlock()
	delivered := f.delivered
	f.delivered = nil
	return delivered
}

// Tries returns the number of attempts to send since the last call.
func (f *Fake) Tries() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.tries
	f.tries = 0
	return n
}

// Fail makes Send fail with err, or succeed again if err is nil.
func (f *Fake) Fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failure = err
}

// AcceptLater makes the server accept email to Later.
func (f *Fake) AcceptLater() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acceptLater = true
}

// OnAccept sets a function that runs after an email has been accepted, before Send returns.
func (f *Fake) OnAccept(do func(mail.Message)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onAccept = do
}

// Delivers implements ports.Mailer.
func (f *Fake) Delivers() bool { return true }

// Send implements ports.Mailer.
func (f *Fake) Send(ctx context.Context, m mail.Message) error {
	if err := m.Check(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	f.mu.Lock()
	f.tries++
	err, onAccept := f.failure, f.onAccept
	switch {
	case err != nil:
	case m.To == Refused:
		err = errs.Bad("There is nobody")
	case m.To == Later && !f.acceptLater:
		err = errors.New("try again later")
	default:
		f.delivered = append(f.delivered, m)
	}
	f.mu.Unlock()
	if err == nil && onAccept != nil {
		onAccept(m)
	}
	return err
}

// Contract tests a ports.Mailer. received returns the emails that the mail server has accepted since the last call,
// with only the local part of their IDs. acceptLater makes the server accept email to Later.
func Contract(t *testing.T, m ports.Mailer, received func(t *testing.T) []mail.Message, open func()) {
	t.Helper()
	if !m.Delivers() {
		t.Error("Delivers returned false")
	}
	for _, one := range []mail.Message{
		{ID: "a1", To: "eve@example.com", Subject: "Hello", Text: "One line.\n"},
		{ID: "b2", To: "o'neil+x@sub.example.com", Subject: "Ünïcode ✓ " + strings.Repeat("long ", 30) + "end",
			Text: "Ünïcode ✓\n\n.\n..\n.hidden\nFrom here = there\n\ttab\n"},
		{ID: "c3", To: "eve@example.com", Subject: "Re: [x] \"y\" <z>, = ?", Text: strings.Repeat("long ", 5000) + "\nend\n"},
		{
			ID: "e5", To: "eve@example.com", Subject: "Hello", Text: "Text\n", HTML: "<p>Ünïcode = <b>bold</b></p>\n",
			Unsubscribe: "https://chat.example.com/accounts/unsubscribe/x/1-abc",
		},
	} {
		if err := m.Send(t.Context(), one); err != nil {
			t.Fatalf("%s: %v", one.ID, err)
		}
		if delivered := received(t); !slices.Equal(delivered, []mail.Message{one}) {
			t.Errorf("%s: received %+q\nwant %+q", one.ID, delivered, one)
		}
	}
	good := mail.Message{ID: "d4", To: "eve@example.com", Subject: "Hello", Text: "Text\n"}
	for name, change := range map[string]func(*mail.Message){
		"a header more":    func(m *mail.Message) { m.Subject = "Hello\r\nBcc: all@example.com" },
		"a hidden header":  func(m *mail.Message) { m.Subject = "=?utf-8?q?Hello=0D=0ABcc:_all?=" },
		"a person more":    func(m *mail.Message) { m.To = "eve@example.com>\r\nRCPT TO:<all@example.com" },
		"a parameter more": func(m *mail.Message) { m.To = `"eve@example.com> ORCPT=all@example.com"@example.com` },
		"a mail more":      func(m *mail.Message) { m.Text = "a\r\n.\r\nMAIL FROM:<x@example.com>\r\n" },
		"nobody":           func(m *mail.Message) { m.To = Refused },
		"a link and more":  func(m *mail.Message) { m.Unsubscribe = "https://x.org/>\r\nBcc: all@example.com" },
		"no link":          func(m *mail.Message) { m.Unsubscribe = "javascript:alert(1)" },
	} {
		bad := good
		change(&bad)
		if err := m.Send(t.Context(), bad); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", name, err)
		}
	}
	late := good
	late.To = Later
	if err := m.Send(t.Context(), late); err == nil || errs.Is(err, errs.BadRequest) {
		t.Errorf("temporary failure: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Send(ended, good); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
	if delivered := received(t); len(delivered) != 0 {
		t.Errorf("received despite the error: %+q", delivered)
	}
	open()
	if err := m.Send(t.Context(), late); err != nil {
		t.Errorf("later: %v", err)
	}
	if delivered := received(t); !slices.Equal(delivered, []mail.Message{late}) {
		t.Errorf("received %+q", delivered)
	}
}

// Quiet is a mail server that drops all email. It reports that Delivers returned false until On is set.
type Quiet struct{ On atomic.Bool }

// QuietModule provides each server with its own Quiet as Mailer.
var QuietModule = kit.Adapter("mail", "quiet", "Drops emails, for a test.", kit.None{},
	func(kit.None, struct{ fx.In }) (ports.Mailer, error) {
		return &Quiet{}, nil
	})

// Delivers implements ports.Mailer.
func (q *Quiet) Delivers() bool { return q.On.Load() }

// Send implements ports.Mailer.
func (q *Quiet) Send(_ context.Context, m mail.Message) error { return m.Check() }
