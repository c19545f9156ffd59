// Package inboundtest contains the contract test for ports.IncomingMail.
package inboundtest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/mailin"
	"github.com/stoachat/stoa/ports"
)

// Reply is how a mail server treats an email that it hands over.
type Reply int

// The replies.
const (
	Accepted  Reply = iota
	Refused         // returns it to its sender
	Postponed       // hands it over again later
)

// Send hands over an email as a mail server does. Before the adapter listens, it returns an error.
type Send func(to, text string) (Reply, error)

// Contract tests a ports.IncomingMail for the domain chat.example.com.
func Contract(t *testing.T, in ports.IncomingMail, send Send) {
	t.Helper()
	if in.Domain() != "chat.example.com" {
		t.Errorf("domain %q", in.Domain())
	}
	h := &handler{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- in.Serve(ctx, h) }()
	const known, text = "known@chat.example.com", "From: Ada <ada@example.com>\r\nTo: known@chat.example.com\r\n" +
		"Subject: =?utf-8?q?Caf=C3=A9?=\r\nMessage-ID: <1@example.com>\r\nMIME-Version: 1.0\r\n" +
		"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" +
		"Two words\r\n--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename=a.csv\r\n\r\n1,2\r\n" +
		"--b--\r\n"
	for range 1000 { // until the adapter listens
		if _, err := send("nobody@chat.example.com", text); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for _, c := range []struct {
		to   string
		take error
		want Reply
	}{
		{known, nil, Accepted}, {"nobody@chat.example.com", nil, Refused}, {known, errs.Bad("Not today"), Refused},
		{known, errs.New(errs.Unavailable, "Later."), Postponed}, {known, errors.New("a fault"), Postponed},
	} {
		h.answer(c.take)
		if got, err := send(c.to, text); err != nil || got != c.want {
			t.Errorf("to %s, %v: reply %d, %v; want %d", c.to, c.take, got, err, c.want)
		}
	}
	got := h.taken()
	if len(got) != 1 {
		t.Fatalf("%d emails were taken", len(got))
	}
	m := got[0]
	if m.ID == "" || m.From != "ada@example.com" || m.FromName != "Ada" || m.Subject != "Café" || m.InThread ||
		m.Automatic || m.Listed || !strings.Contains(m.Text, "Two words") || len(m.Files) != 1 || m.Dropped != 0 {
		t.Fatalf("%+v", m)
	}
	if f := m.Files[0]; f.Name != "a.csv" || !bytes.Equal(bytes.TrimSpace(f.Data), []byte("1,2")) {
		t.Errorf("the file is %+v", f)
	}
	h.answer(nil)
	for header, is := range map[string]func(mailin.Mail) bool{
		"Auto-Submitted: auto-replied": func(m mailin.Mail) bool { return m.Automatic },
		"List-Id: <l.example.com>":     func(m mailin.Mail) bool { return m.Listed },
		"In-Reply-To: <0@example.com>": func(m mailin.Mail) bool { return m.InThread },
	} {
		_, err := send(known, header+"\r\n"+text)
		if got := h.taken(); err != nil || len(got) != 1 || !is(got[0]) {
			t.Errorf("%s: %+v, %v", header, got, err)
		}
	}
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the end: %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it does not end with its context")
	}
}

// handler knows the address known@chat.example.com.
type handler struct {
	mu    sync.Mutex
	takes error
	got   []mailin.Mail
}

func (h *handler) answer(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.takes = err
}

func (h *handler) taken() []mailin.Mail {
	h.mu.Lock()
	defer h.mu.Unlock()
	got := h.got
	h.got = nil
	return got
}

// Known implements ports.MailHandler.
func (h *handler) Known(_ context.Context, to string) error {
	if !strings.HasPrefix(to, "known@") {
		return errs.New(errs.NotFound, "No such address")
	}
	return nil
}

// Take implements ports.MailHandler.
func (h *handler) Take(_ context.Context, _ string, m mailin.Mail) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.takes == nil {
		h.got = append(h.got, m)
	}
	return h.takes
}
