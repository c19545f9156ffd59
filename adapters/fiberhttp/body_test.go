package fiberhttp

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/stoachat/stoa/modules/kit"
)

// bare starts Fiber with streaming bodies and none of Stoa's code, to demonstrate the traps.
func bare(t *testing.T, limit int, h fiber.Handler) net.Conn {
	t.Helper()
	app := fiber.New(fiber.Config{DisableStartupMessage: true, StreamRequestBody: true, DisablePreParseMultipartForm: true,
		BodyLimit: limit})
	app.All("/*", h)
	var lc net.ListenConfig
	ln, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- app.Listener(ln) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithContext(context.Background()); err != nil {
			t.Error(err)
		}
		<-done
	})
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

// upload returns a request whose body looks like a request beyond the part that fasthttp reads ahead.
func upload(path string, size int) string {
	body := strings.Repeat("x", size-len(smuggled)) + smuggled
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

func upchunked(path string, size int) string {
	body := strings.Repeat("x", size-len(smuggled)) + smuggled
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", path,
		len(body), body)
}

const last = "GET /api/v1/last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

// Trap 1: what a handler leaves unread of a streamed body is parsed as the connection's next request.
func TestUnreadBodyIsNotParsed(t *testing.T) {
	t.Run("bare Fiber falls for it", func(t *testing.T) {
		c := bare(t, 1<<30, func(c *fiber.Ctx) error { return c.SendStatus(401) })
		send(t, c, upload("/x", 9000)+last)
		if got := rest(t, c); strings.Count(got, "HTTP/1.1 ") < 3 {
			t.Skipf("fasthttp has fixed this: %q", got)
		}
	})
	s := serve(t, rows(), unlimited)
	for _, c := range []struct {
		name, request string
		answers       []int
	}{
		{"401", upload("/api/v1/things/5", 9000), []int{401, 404}},
		{"401 chunked", upchunked("/api/v1/things/5", 9000), []int{401, 404}},
		{"404", upload("/nowhere", 9000), []int{404, 404}},
		{"405", upload("/api/v1/broken", 9000), []int{405, 404}},
		{"refused parameters", upload("/api/v1/open", 9000), []int{400, 404}},
		{"unknown method", strings.Replace(upload("/api/v1/open", 9000), "POST", "FROB", 1), []int{405, 404}},
		{"small", upload("/api/v1/things/5", 100), []int{401, 404}},
		{"the most that is read past", upload("/api/v1/things/5", drainLimit), []int{401, 404}},
		{"too much to read past", upload("/api/v1/things/5", drainLimit+1), []int{401}},
		{"too much, chunked", upchunked("/api/v1/things/5", drainLimit+1), []int{401}},
		{"over the row's limit", strings.Replace(upload("/api/v1/open", kit.DefaultBodyLimit+1), "\r\n\r\n",
			"\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n", 1), []int{413}},
		{"no body in the chunks", "POST /api/v1/things/5 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
			[]int{401}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, r := s.dial()
			go func() { _, _ = io.WriteString(conn, c.request+last) }() // the server may close it early
			var got []int
			for {
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					break
				}
				got = append(got, res.StatusCode)
				if _, err := io.Copy(io.Discard, res.Body); err != nil {
					t.Fatal(err)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(c.answers) {
				t.Errorf("answers %v, want %v", got, c.answers)
			}
		})
	}
}

// Trap 2: with streaming, neither Fiber's limit nor fasthttp's applies.
func TestBodyLimit(t *testing.T) {
	t.Run("bare Fiber takes anything", func(t *testing.T) {
		c := bare(t, 1024, func(c *fiber.Ctx) error { return c.SendString(fmt.Sprint("length ", len(c.Body()))) })
		send(t, c, strings.Replace(upchunked("/x", 500_000), "Host: x", "Host: x\r\nConnection: close", 1))
		if got := rest(t, c); !strings.Contains(got, "length 500000") {
			t.Skipf("fasthttp has fixed this: %q", got)
		}
	})
	s := serve(t, []kit.Endpoint{kit.POST("/small", kit.Anyone, echo[named], "").MaxBody(1000),
		kit.POST("/usual", kit.Anyone, echo[named], "")}, unlimited)
	post := func(path, body string, chunked bool) answer {
		t.Helper()
		var r io.Reader = strings.NewReader(body)
		if chunked {
			r = io.MultiReader(r) // hides the length
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.addr+path, r)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := s.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{res.StatusCode, res.Header, string(b)}
	}
	for _, chunked := range []bool{false, true} {
		for _, c := range []struct {
			path string
			size int
			want int
		}{
			{"/api/v1/small", 1000, 200}, {"/api/v1/small", 1001, 413}, {"/api/v1/small", 20_000, 413},
			{"/api/v1/usual", kit.DefaultBodyLimit, 200}, {"/api/v1/usual", kit.DefaultBodyLimit + 1, 413},
		} {
			got := post(c.path, "name="+strings.Repeat("x", c.size-5), chunked)
			if got.status != c.want {
				t.Errorf("%s of %d bytes, chunked %v: %d %.100s", c.path, c.size, chunked, got.status, got.body)
			}
			if c.want == 413 && !strings.HasPrefix(got.body,
				`{"result":"error","msg":"The request body is too large; at most `) {
				t.Errorf("%.200s", got.body)
			}
		}
	}
}

// Trap 3: fasthttp before 1.69 corrupts slow chunked bodies if ReduceMemoryUsage is set.
func TestSlowChunkedBodiesArriveWhole(t *testing.T) {
	sum := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := sha256.New()
		n, err := io.Copy(h, r.Body)
		_, _ = fmt.Fprintf(w, "%d %x %v", n, h.Sum(nil), err)
	})
	s := serve(t, []kit.Endpoint{kit.Mount("/sum", kit.Anyone, sum, "")}, unlimited)
	const uploads, pieces = 8, 20
	type one struct {
		c    net.Conn
		r    *bufio.Reader
		body bytes.Buffer
	}
	all := make([]*one, uploads)
	for i := range all {
		c, r := s.dial()
		all[i] = &one{c: c, r: r}
		send(t, c, "POST /sum HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	}
	for p := range pieces {
		for i, u := range all { // waits for all others between two pieces
			piece := bytes.Repeat([]byte{byte('a' + i + p)}, 1000)
			u.body.Write(piece)
			send(t, u.c, fmt.Sprintf("%x\r\n%s\r\n", len(piece), piece))
		}
	}
	for i, u := range all {
		send(t, u.c, "0\r\n\r\n")
		res, err := http.ReadResponse(u.r, nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if want := fmt.Sprintf("%d %x <nil>", u.body.Len(), sha256.Sum256(u.body.Bytes())); err != nil || string(b) != want {
			t.Errorf("upload %d: %s, want %s (%v)", i, b, want, err)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	s := serve(t, rows(), unlimited)
	c, r := s.dial()
	send(t, c, "POST /api/v1/open HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: "+
		"application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\n")
	if line, err := r.ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 100") {
		t.Fatalf("%q %v", line, err)
	}
	send(t, c, "name=x"+last)
	if got := rest(t, r); !strings.Contains(got, `"got":{"name":"x"}`) || strings.Count(got, "HTTP/1.1 ") != 2 {
		t.Errorf("%q", got)
	}
}

// A client that writes its whole body before it reads receives the response instead of a connection reset.
func TestTooLargeResponseArrives(t *testing.T) {
	s := serve(t, rows(), unlimited)
	c, r := s.dial()
	body := strings.Repeat("x", 32<<20) // more than the kernel's socket buffers hold
	send(t, c, fmt.Sprintf("POST /api/v1/open HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", len(body)))
	if n, err := io.WriteString(c, body); err != nil {
		t.Errorf("cut off after %d bytes: %v", n, err)
	}
	if res, _ := readResponse(t, r, "POST"); res.StatusCode != 413 || !res.Close {
		t.Errorf("%+v", res)
	}
	if got := rest(t, r); got != "" {
		t.Errorf("then %q", got)
	}
}

func TestUnknownMethod(t *testing.T) {
	s := serve(t, rows(), unlimited)
	got := s.do("FROB /api/v1/broken", callOptions{})
	s.is(got, 405, `{"result":"error","msg":"Method Not Allowed","code":"METHOD_NOT_ALLOWED","allowed_methods":["GET",`+
		`"HEAD"]}`)
	if got.header.Get("Allow") != "GET, HEAD" || got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%v", got.header)
	}
	if want := "request=" + got.header.Get("X-Request-Id") +
		" method=FROB route=none path=/api/v1/broken remote=127.0.0.1 status=405"; !strings.Contains(s.log.String(), want) {
		t.Errorf("%q is missing from the log", want)
	}
	s.is(s.do("FROB /nowhere", callOptions{}), 404, `{"result":"error","msg":"Not found","code":"BAD_REQUEST"}`)
}
