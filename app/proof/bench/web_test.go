package bench_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// webBench measures a server's web client. It prints lines with a name with its unit, a number, and the budget if there
// is one.
const webBench = "../../../modules/web/ui/test/bench/bench.mjs"

// BenchmarkWeb opens the web client in Chromium as alice, in a realm with 10,000 users and 1,500 channels and with
// 50,000 unread messages. It needs the built client (make web) and Chromium. See make bench-web.
func BenchmarkWeb(b *testing.B) {
	s := crowded(b, 1500)
	talk(b, s)
	s.Clock.Set(time.Now()) // otherwise the browser would drop the session cookie
	const secret = "correct horse battery"
	link := s.As("olga").Do("POST /users/" + strconv.FormatInt(int64(s.UserID("alice")), 10) +
		"/password_reset_link").OK().String("reset_link")
	if a := s.Anonymous().Under("").Do("POST "+strings.TrimPrefix(link, s.URL), "password",
		secret); !strings.Contains(a.Body, "has been changed") {
		b.Fatal(a.Body)
	}
	v, err := s.Ports.Directory.View(b.Context(), s.Realm)
	if err != nil {
		b.Fatal(err)
	}
	channels := v.Subscriptions(s.UserID("alice"))
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "node", webBench, s.URL, s.As("alice").Email(), secret,
			s.As("olga").Email(), s.As("olga").Key(), fmt.Sprint(channels[0]), fmt.Sprint(channels[50]))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			words := append(strings.Fields(line), "Inf")
			if len(words) < 3 {
				b.Fatalf("the client reports %q", line)
			}
			number, err := strconv.ParseFloat(words[1], 64)
			budget, invalid := strconv.ParseFloat(words[2], 64)
			if err = errors.Join(err, invalid); err != nil {
				b.Fatalf("the client reports %q: %v", line, err)
			}
			b.ReportMetric(number, words[0])
			if number > budget {
				b.Logf("%s: %v exceeds the budget of %v", words[0], number, budget)
			}
		}
	}
}
