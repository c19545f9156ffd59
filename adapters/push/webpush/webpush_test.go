package webpush_test

import (
	"log/slog"
	"testing"

	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/adapters/push/webpush/webpushtest"
	"github.com/stoachat/stoa/ports"
)

func TestContract(t *testing.T) {
	webpushtest.Contract(t, func(t *testing.T, caFile string) ports.WebPush {
		t.Helper()
		c := webpush.Defaults()
		c.Contact, c.Networks, c.CAFile = "admin@example.com", []string{"127.0.0.0/8"}, caFile
		w, err := webpush.New(c, "", slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return w
	})
}
