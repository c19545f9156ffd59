package bench_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/app/kittest/testrun"
	"github.com/stoachat/stoa/app/proof/internal/harness"
)

const parked = 10_000

// conn is a client's connection with a pending request.
type conn struct {
	net.Conn
	r *bufio.Reader
}

func dial(addr string) (*conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &conn{c, bufio.NewReaderSize(c, 1024)}, nil
}

// answer reads a response and returns its body.
func (c *conn) answer() ([]byte, error) {
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(res.Body)
}

// crowd is a large number of clients.
type crowd struct {
	b     *testing.B
	conns []*conn
}

func newCrowd(b *testing.B, n int, addr string) *crowd {
	b.Helper()
	c := &crowd{b: b}
	for range n {
		one, err := dial(addr)
		if err != nil {
			b.Fatal(err)
		}
		c.conns = append(c.conns, one)
	}
	b.Cleanup(func() {
		for _, one := range c.conns {
			_ = one.Close()
		}
	})
	return c
}

// ask writes a request on every connection, and waits until all are held.
func (c *crowd) ask(request func(i int) string) {
	c.b.Helper()
	for i, one := range c.conns {
		if _, err := io.WriteString(one, request(i)); err != nil {
			c.b.Fatal(err)
		}
	}
	time.Sleep(4 * time.Second)
}

// last calls start, and returns the time until the last client has its response, and one of the responses.
func (c *crowd) last(start func()) (time.Duration, []byte) {
	var wg sync.WaitGroup
	var body []byte
	for i, one := range c.conns {
		wg.Go(func() {
			got, err := one.answer()
			if err != nil {
				c.b.Error(err)
			}
			if i == 0 {
				body = got
			}
		})
	}
	time.Sleep(time.Second) // wait until all readers are waiting
	t := time.Now()
	start()
	wg.Wait()
	return time.Since(t), body
}

// BenchmarkParkedPolls has the budgets idle and fan-out: memory per parked poll; a send takes at most 1.5 × as long
// with 10,000 parked polls as with none; the last client is woken within 1.5 × the time in which a bare Fiber loop
// writes the same bytes to as many clients.
func BenchmarkParkedPolls(b *testing.B) {
	s := withChannel(b)
	queues, last := s.queues(parked)
	var alone []time.Duration
	sender := s.sender(b)
	for range 300 {
		alone = append(alone, sender.send())
	}
	auth := base64.StdEncoding.EncodeToString([]byte(s.Mail + ":" + s.Key))
	// Skip earlier events: one poll returns the newest event ID.
	out := s.Must("GET", "/events", url.Values{"queue_id": {queues[0]}, "last_event_id": {fmt.Sprint(last)},
		"dont_block": {"true"}})
	events := out["events"].([]any)
	last = harness.Int(events[len(events)-1].(map[string]any)["id"])
	before := s.resident()
	crowd := newCrowd(b, parked, strings.TrimPrefix(s.URL, "http://"))
	var woken, reference, answered []time.Duration
	var held float64
	for b.Loop() {
		crowd.ask(func(i int) string {
			return fmt.Sprintf("GET /api/v1/events?queue_id=%s&last_event_id=%d HTTP/1.1\r\nHost: %s\r\nAuthorization: Basic "+
				"%s\r\nUser-Agent: bench/1.0\r\n\r\n", queues[i], last, crowd.conns[i].RemoteAddr(), auth)
		})
		if held == 0 {
			held = float64(s.resident()-before) / 1024 / parked
		}
		var body []byte
		d, body := crowd.last(func() { answered = append(answered, sender.send()) })
		woken = append(woken, d)
		last = newest(b, body)
		reference = append(reference, fiberLoop(b, len(body)))
	}
	report(b, "KiB/poll", held)
	report(b, "woken-ms", milliseconds(median(woken)))
	report(b, "woken×Fiber", float64(median(woken))/float64(median(reference)))
	report(b, "send-ms", milliseconds(median(answered)))
	report(b, "send×alone", float64(median(answered))/float64(median(alone)))
}

func newest(b *testing.B, body []byte) int64 {
	b.Helper()
	var out struct {
		Events []struct {
			ID int64 `json:"id"`
		} `json:"events"`
	}
	if err := json.Unmarshal(body, &out); err != nil || len(out.Events) == 0 {
		b.Fatalf("no events in %s", body)
	}
	return out.Events[len(out.Events)-1].ID
}

// queues registers n event queues for the owner.
func (s *server) queues(n int) (ids []string, last int64) {
	s.T.Helper()
	ids = make([]string, n)
	var wg sync.WaitGroup
	next := make(chan int)
	for range 16 {
		wg.Go(func() {
			for i := range next {
				out := s.Must("POST", "/register", url.Values{"event_types": {`["message"]`}, "fetch_event_types": {"[]"},
					"apply_markdown": {"true"}})
				ids[i] = out["queue_id"].(string)
				if i == 0 {
					last = harness.Int(out["last_event_id"])
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return ids, last
}

// resident returns the server's memory in bytes.
func (s *server) resident() int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.Cmd.Process.Pid))
	if err != nil {
		s.T.Skip("no /proc to read the memory from")
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// referenceServer is the environment variable that makes the test binary a bare Fiber server. It holds GET /wait until
// POST /wake, then writes the given number of bytes to every client.
const referenceServer = "STOA_BENCH_FIBER"

func runReference(addr string) {
	app := fiber.New(fiber.Config{DisableStartupMessage: true, ReduceMemoryUsage: true})
	var mu sync.Mutex
	wake, body := make(chan struct{}), []byte(nil)
	app.Get("/wait", func(c *fiber.Ctx) error {
		mu.Lock()
		ch := wake
		mu.Unlock()
		<-ch
		return c.Send(body)
	})
	app.Post("/wake/:bytes", func(c *fiber.Ctx) error {
		n, _ := c.ParamsInt("bytes")
		mu.Lock()
		body = make([]byte, n)
		close(wake)
		wake = make(chan struct{})
		mu.Unlock()
		return nil
	})
	if err := app.Listen(addr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func fiberLoop(b *testing.B, bytes int) time.Duration {
	b.Helper()
	addr := testrun.FreeAddr(b)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), referenceServer+"="+addr)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	c := &crowd{b: b}
	for range parked - 500 { // leaves both crowds within the limit on open files
		one, err := dial(addr)
		if err != nil {
			b.Fatal(err)
		}
		c.conns = append(c.conns, one)
		defer one.Close()
	}
	c.ask(func(int) string { return "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n" })
	d, _ := c.last(func() {
		res, err := http.Post(fmt.Sprintf("http://%s/wake/%d", addr, bytes), "", nil)
		if err != nil {
			b.Error(err)
			return
		}
		_ = res.Body.Close()
	})
	return d
}
