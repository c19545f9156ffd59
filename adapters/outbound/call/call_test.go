package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/outbound/call/calltest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/webhook"
	"github.com/stoachat/stoa/ports"
)

func open(t *testing.T, set func(*Config)) ports.Webhooks {
	t.Helper()
	c := Defaults()
	c.Networks, c.MaxBytes = []string{"127.0.0.1/32"}, 1000
	if set != nil {
		set(&c)
	}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPost(t *testing.T) {
	var echoed atomic.Int32
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/echo":
			echoed.Add(1)
			fmt.Fprint(w, r.Method, " ", r.Header.Get("Content-Type"), " ", r.Header.Get("User-Agent"), " ", string(body))
		case "/broken":
			w.WriteHeader(http.StatusBadGateway)
			fmt.Fprint(w, strings.Repeat("x", 2000))
		case "/moved":
			http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
		case "/most":
			fmt.Fprint(w, strings.Repeat("x", 1000))
		case "/much":
			fmt.Fprint(w, strings.Repeat("x", 1001))
		case "/nonsense":
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprint(c, "SMTP ready\r\n\r\n")
			_ = c.Close()
		case "/closed":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "x")
		case "/slow":
			_ = http.NewResponseController(w).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}
	}))
	defer s.Close()
	defer close(stop)
	w := open(t, nil)
	post := func(w ports.Webhooks, address string) (webhook.Reply, error) {
		return w.Post(t.Context(), webhook.Call{URL: address, ContentType: "text/x", Body: []byte("hello")})
	}
	for path, want := range map[string]string{
		"/echo":   "200 POST text/x " + Defaults().UserAgent + " hello",
		"/broken": "502 " + strings.Repeat("x", 1000), "/moved": "307 ",
		"/most": "200 " + strings.Repeat("x", 1000),
		"/none": "200 ",
	} {
		r, err := post(w, s.URL+path)
		if got := fmt.Sprint(r.Status, " ", string(r.Body)); err != nil || got != want {
			t.Errorf("%s: %s, %v", path, got, err)
		}
	}
	if echoed.Load() != 1 {
		t.Errorf("a redirect was followed")
	}
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for address, never := range map[string]bool{
		s.URL + "/cut": false, "http://127.0.0.2" + port + "/echo": true, "http://[::1]" + port + "/echo": true,
		"http://127.0.0.1:22/":      true,
		"http://localhost.invalid/": false, "ftp://127.0.0.1/": true, "http://x:y@127.0.0.1" + port + "/echo": true,
		"http://[": true, "http://169.254.169.254/latest": true,
	} {
		if r, err := post(w, address); err == nil || errs.Is(err, errs.BadRequest) != never {
			t.Errorf("%s: %+v, %v", address, r, err)
		}
	}
	for path, later := range map[string]bool{"/cut": true, "/closed": true, "/nonsense": false} {
		_, err := post(w, s.URL+path)
		if err == nil || errs.Is(err, errs.Unavailable) != later || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if r, err := post(w, s.URL+"/much"); !errs.Is(err, errs.TooLarge) || len(r.Body) > 1001 {
		t.Errorf("much: %v", err)
	}
	closed := open(t, func(c *Config) { c.Networks = nil })
	if _, err := post(closed, s.URL+"/echo"); !errs.Is(err, errs.BadRequest) || echoed.Load() != 1 {
		t.Errorf("an address of this machine was called: %v", err)
	}
	// The address is checked after it has been resolved, and a forbidden one looks like a name that does not exist.
	if _, err := post(closed, "http://localhost"+port+"/echo"); !errs.Is(err, errs.Unavailable) || echoed.Load() != 1 {
		t.Errorf("a name of this machine was called: %v", err)
	} else if text := err.Error(); !strings.Contains(text, "not public") || strings.Contains(text, "/echo") {
		t.Errorf("the log contains %s", text)
	}
	if _, err := post(open(t, func(c *Config) { c.HighPorts = false }), s.URL+"/echo"); !errs.Is(err, errs.BadRequest) {
		t.Errorf("a high port was called: %v", err)
	}
	quick := open(t, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if _, err := post(quick, s.URL+"/slow"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("slow: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Post(ended, webhook.Call{URL: s.URL + "/echo"}); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}

func TestConfig(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"":          func(*Config) {},
		"ports":     func(c *Config) { c.Ports = []int{0} },
		"timeout":   func(c *Config) { c.Timeout = 2 * time.Minute },
		"max_bytes": func(c *Config) { c.MaxBytes = 0 },
		"networks":  func(c *Config) { c.Networks = []string{"x"} },
		"proxy":     func(c *Config) { c.Proxy = "x" },
	} {
		c := Defaults()
		set(&c)
		if err := c.Validate(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want+":") {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestContract(t *testing.T) {
	calltest.Contract(t, open(t, func(c *Config) { c.Timeout, c.MaxBytes, c.HighPorts = time.Second, 1<<20, true }))
}
