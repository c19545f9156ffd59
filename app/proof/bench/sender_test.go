package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/proof/internal/harness"
)

// senderProcess is the environment variable that makes the test binary a sender: for each line of input, it sends a
// message and prints the time until the response. A sender in the benchmark's own process would compete with the
// polling clients' goroutines.
const senderProcess = "STOA_BENCH_SENDER"

func runSender(site string) {
	mail, key, _ := strings.Cut(os.Getenv("STOA_BENCH_KEY"), " ")
	s := &harness.Server{T: (*testing.B)(nil), URL: site, Mail: mail, Key: key}
	params := url.Values{"type": {"stream"}, "to": {`"proof"`}, "topic": {"t"}, "content": {text}}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		_, _ = s.Call("GET", "/users/me", nil) // warms up the connection and the rate limits
		begun := time.Now()
		out, err := s.Call("POST", "/messages", params)
		if err != nil || out["result"] != "success" {
			fmt.Fprintln(os.Stderr, out, err)
			os.Exit(1)
		}
		fmt.Println(time.Since(begun).Nanoseconds())
	}
}

// sender is such a process.
type sender struct {
	b   *testing.B
	in  io.Writer
	out *bufio.Scanner
}

func (s *server) sender(b *testing.B) *sender {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), senderProcess+"="+s.URL, "STOA_BENCH_KEY="+s.Mail+" "+s.Key)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &sender{b, in, bufio.NewScanner(out)}
}

// send sends a message and returns the time until the response.
func (s *sender) send() time.Duration {
	if _, err := io.WriteString(s.in, "\n"); err != nil || !s.out.Scan() {
		s.b.Error("the sender stopped: ", err, s.out.Err())
		return 0
	}
	n, err := strconv.ParseInt(s.out.Text(), 10, 64)
	if err != nil {
		s.b.Error(err)
	}
	return time.Duration(n)
}
