package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/modules/kit"
)

// A terminal has one line of progress; elsewhere, a line is written every ten seconds.
func TestProgress(t *testing.T) {
	for terminal, want := range map[bool]string{
		true: "\r\x1b[Kmessages: 0 of 90\r\x1b[Kmessages: 20 of 90, 10/s, 7s left" +
			"\r\x1b[Kmessages: 60 of 90, 2.0 MiB, 5/s, 6s left\r\x1b[K",
		false: "messages: 0 of 90\nmessages: 60 of 90, 2.0 MiB, 5/s, 6s left\n",
	} {
		var out strings.Builder
		s := &shownProgress{to: &out, terminal: terminal}
		for _, p := range []kit.Progress{
			{Phase: "messages", Total: 90}, {Phase: "messages", Total: 90, Done: 20, Elapsed: 2 * time.Second},
			{Phase: "messages", Total: 90, Done: 60, Bytes: 2 << 20, Elapsed: 12 * time.Second},
		} {
			s.show(p)
		}
		if s.end(); out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	}
}
