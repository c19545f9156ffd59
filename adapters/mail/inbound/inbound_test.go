package inbound_test

import (
	"errors"
	"log/slog"
	"net"
	"net/smtp"
	"net/textproto"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/inbound"
	"github.com/stoachat/stoa/adapters/mail/inbound/inboundtest"
)

func TestContract(t *testing.T) {
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := inbound.Defaults()
	c.Addr, c.Domain = free.Addr().String(), "chat.example.com"
	_ = free.Close()
	send := func(to, text string) (inboundtest.Reply, error) {
		err := smtp.SendMail(c.Addr, nil, "ada@example.com", []string{to}, []byte(text))
		var refusal *textproto.Error
		switch {
		case err == nil:
			return inboundtest.Accepted, nil
		case errors.As(err, &refusal) && refusal.Code >= 500:
			return inboundtest.Refused, nil
		case errors.As(err, &refusal):
			return inboundtest.Postponed, nil
		}
		return inboundtest.Postponed, err
	}
	inboundtest.Contract(t, inbound.New(c, "", slog.New(slog.DiscardHandler)), send)
}
