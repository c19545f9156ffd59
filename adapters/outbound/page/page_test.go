package page

import (
	"compress/gzip"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stoachat/stoa/adapters/outbound/page/webpagetest"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/ports"
)

// serve starts a server at a local address and returns its base URL and port.
func serve(t *testing.T, at string, h http.Handler) (base string, port int) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, l.Addr().(*net.TCPAddr).Port
}

// at returns a configuration that allows connections to this machine on the given ports.
func at(ports ...int) Config {
	c := Defaults()
	c.Ports, c.Networks = ports, []string{"127.0.0.1/32"}
	return c
}

func reading(t *testing.T, c Config) *reader {
	t.Helper()
	r, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestContract(t *testing.T) {
	webpagetest.Contract(t, func(t *testing.T, pages func(string) []webpagetest.Served) (ports.Pages, string) {
		t.Helper()
		mux := http.NewServeMux()
		base, port := serve(t, "127.0.0.1:0", mux)
		for _, s := range pages(base) {
			path, _, _ := strings.Cut(s.Path, "?")
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", s.Type)
				_, _ = w.Write([]byte(s.Body))
			})
		}
		return reading(t, at(port)), base
	})
}

func TestContractOfFake(t *testing.T) {
	webpagetest.Contract(t, func(t *testing.T, pages func(string) []webpagetest.Served) (ports.Pages, string) {
		t.Helper()
		const base = "https://x.org"
		known := map[string]markdown.Embed{}
		for _, s := range pages(base) {
			if s.OK {
				known[base+s.Path] = s.Want
			}
		}
		return webpagetest.NewFake(known), base
	})
}

func TestRead(t *testing.T) {
	const long = "é"
	at, _ := url.Parse("https://x.org/dir/page")
	for name, c := range map[string]struct {
		kind, body string
		want       markdown.Embed
	}{
		"open graph first": {"text/html",
			`<title>a</title><meta name="twitter:title" content="b"><meta property="og:title" content="c">
			<meta name=description content=d><meta property=og:description content=e><meta name="twitter:image" content="t.png"><meta property="og:image" content="o.png">`,
			markdown.Embed{Title: "c", Description: "e", Image: "https://x.org/dir/o.png"}},
		"cards next": {"text/html", `<title>a</title><meta name="twitter:title" content="b"><link rel="image_src" ` +
			`href="//y.org/i.png">`, markdown.Embed{Title: "b", Image: "https://y.org/i.png"}},
		"after the heading": {"text/html", `<img src="logo.png"><h1>x</h1><p><img src="a.png"><img src="b.png">`,
			markdown.Embed{Image: "https://x.org/dir/a.png"}},
		"first of its kind": {"text/html", `<meta property="og:title" content="1"><meta property="og:title" content="2">`,
			markdown.Embed{Title: "1"}},
		"entities":           {"text/html", `<title>a &lt;b&gt; &amp;amp;</title>`, markdown.Embed{Title: "a <b> &amp;"}},
		"control characters": {"text/html", "<title>a\x00b\x1b\r\n\t c</title>", markdown.Embed{Title: "a\ufffdb c"}},
		"charset of answer":  {"text/html; charset=iso-8859-1", "<title>\xe9</title>", markdown.Embed{Title: "é"}},
		"charset of page": {"text/html", "<meta charset=windows-1251><title>\xc4\xe0</title>",
			markdown.Embed{Title: "Да"}},
		"unknown charset": {"text/html; charset=nonsense", "<title>a</title>", markdown.Embed{Title: "a"}},
		"not inside scripts": {"text/html", `<script>"<title>x</title><meta property='og:title' ` +
			`content=y>"</script><title>a</title>`, markdown.Embed{Title: "a"}},
		"image of no address": {"text/html", `<meta property="og:image" content="javascript:alert(1)"><meta ` +
			`name="twitter:image" content="http://u:p@y.org/"><h1><img src="data:image/png,x">`, markdown.Embed{}},
		"quotes in an image": {"text/html", `<meta property="og:image" content='/a"b\c?"'>`,
			markdown.Embed{Image: `https://x.org/a%22b%5Cc?"`}},
		"cut in a tag": {"text/html", `<title>a</title><meta property="og:title" cont`, markdown.Embed{Title: "a"}},
		"long": {"text/html", "<title>" + strings.Repeat(long, 301) + "</title>",
			markdown.Embed{Title: strings.Repeat(long, 299) + "…"}},
	} {
		got, err := read(strings.NewReader(c.body), c.kind, at)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
}

func TestHostileSites(t *testing.T) {
	var secret atomic.Int64
	private, other := serve(t, "127.0.0.2:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		secret.Add(1)
		page(w, "<title>secret</title>")
	}))
	mux := http.NewServeMux()
	base, port := serve(t, "127.0.0.1:0", mux)
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "" || r.Header.Get("Cookie") != "" || !strings.Contains(r.UserAgent(), "Stoa") {
			t.Errorf("headers %v", r.Header)
		}
		page(w, "<title>ok</title>")
	})
	mux.HandleFunc("/hop/{n}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		n, _ := strconv.Atoi(r.PathValue("n"))
		to := "/ok"
		if n > 1 {
			to = fmt.Sprintf("/hop/%d", n-1)
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("u"), http.StatusFound)
	})
	mux.HandleFunc("/status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusGone)
		_, _ = w.Write([]byte("<title>gone</title>"))
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) {
		page(w, strings.Repeat(" ", 1<<20)+"<title>beyond</title>")
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte("<title>first</title>" + strings.Repeat("<!-- ", 4<<20)))
		_ = z.Close()
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", maxHeader+1))
		page(w, "<title>x</title>")
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		page(w, "<title>begun</title>")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	c := at(port, other)
	c.Timeout = time.Minute
	pages := reading(t, c)
	for _, row := range []struct{ address, want string }{
		{base + "/ok", "ok"},
		{base + "/hop/3", "ok"},
		{base + "/hop/4", ""},
		{base + "/status", ""},
		{base + "/headers", ""},
		{base + "/bomb", "first"},
		{private, ""},
		{base + "/to?u=" + url.QueryEscape(private), ""},
		{base + "/to?u=" + url.QueryEscape("http://[::1]:"+strconv.Itoa(port)), ""},
		{base + "/to?u=" + url.QueryEscape("http://2130706434:"+strconv.Itoa(other)), ""},
		{base + "/to?u=" + url.QueryEscape("file:///etc/passwd"), ""},
		{base + "/to?u=" + url.QueryEscape("https://x.org:22/"), ""},
		{base + "/ok?" + strings.Repeat("x", maxAddress), ""},
	} {
		e, err := pages.Page(t.Context(), row.address)
		if e.Title != row.want || (err == nil) != (row.want != "") || err != nil && !errs.Is(err, errs.NotFound) {
			t.Errorf("%.80s: %+v, %v", row.address, e, err)
		}
	}
	if e, err := pages.Page(t.Context(), base+"/big"); err != nil || !e.Empty() {
		t.Errorf("beyond the limit: %+v, %v", e, err)
	}
	quick := at(port)
	quick.Timeout = 50 * time.Millisecond
	if _, err := reading(t, quick).Page(t.Context(), base+"/slow"); !errs.Is(err, errs.NotFound) {
		t.Errorf("slow: %v", err)
	}
	if n := secret.Load(); n != 0 {
		t.Errorf("a private address was requested %d times", n)
	}
}

// A name that resolves to this machine is refused when the connection is made, whatever it resolved to before.
func TestNameResolvingToThisMachine(t *testing.T) {
	var asked atomic.Int64
	base, port := serve(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		page(w, "<title>x</title>")
	}))
	named := strings.Replace(base, "127.0.0.1", "localhost", 1)
	closed := at(port)
	closed.Networks = nil
	if _, err := reading(t, closed).Page(t.Context(), named); !errs.Is(err, errs.NotFound) || asked.Load() != 0 {
		t.Errorf("asked %d times, %v", asked.Load(), err)
	}
	if e, err := reading(t, at(port)).Page(t.Context(), named); err != nil || e.Title != "x" {
		t.Errorf("allowed: %+v, %v", e, err)
	}
}

func page(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte(text))
}

func TestProxy(t *testing.T) {
	var got atomic.Value
	proxy, _ := serve(t, "127.0.0.1:0", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.URL.String())
		page(w, "<title>by proxy</title>")
	}))
	c := Defaults()
	c.Proxy = proxy
	if e, err := reading(t, c).Page(t.Context(), "http://x.invalid/a"); err != nil || e.Title != "by proxy" ||
		got.Load() != "http://x.invalid/a" {
		t.Errorf("%+v, %v, %v", e, err, got.Load())
	}
	for _, address := range []string{"http://127.0.0.1/", "http://2130706433/", "http://x.invalid:8080/"} {
		if _, err := reading(t, c).Page(t.Context(), address); !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestVideos(t *testing.T) {
	mux := http.NewServeMux()
	base, port := serve(t, "127.0.0.1:0", mux)
	mux.HandleFunc("/oembed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Get("url") != "https://vimeo.com/12" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(`{"title":" A\nfilm ","thumbnail_url":"https://i.vimeocdn.com/1.jpg","html":"<script>"}`))
	})
	r := reading(t, at(port))
	for i := range r.providers {
		r.providers[i].endpoint = base + "/oembed?url="
	}
	want := markdown.Embed{Title: "A film", Image: "https://i.vimeocdn.com/1.jpg"}
	if e, err := r.Page(context.Background(), "https://vimeo.com/12"); err != nil || e != want {
		t.Errorf("%+v, %v", e, err)
	}
	if e, err := r.Page(context.Background(), "https://youtu.be/a1"); !errs.Is(err, errs.NotFound) {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		set func(*Config)
		key string
	}{
		{func(*Config) {}, ""},
		{func(c *Config) { c.Networks, c.Proxy = []string{"10.0.0.0/8", "fd00::/8"}, "http://10.0.0.1:3128" }, ""},
		{func(c *Config) { c.Ports = nil }, "ports"},
		{func(c *Config) { c.Ports = []int{0} }, "ports"},
		{func(c *Config) { c.Networks = []string{"10.0.0.1"} }, "networks"},
		{func(c *Config) { c.Proxy = "10.0.0.1:3128" }, "proxy"},
		{func(c *Config) { c.Timeout = 0 }, "timeout"},
		{func(c *Config) { c.MaxBytes = 0 }, "max_bytes"},
	} {
		cfg := Defaults()
		c.set(&cfg)
		err := cfg.Validate()
		if (err == nil) != (c.key == "") || err != nil && !strings.HasPrefix(err.Error(), c.key+": ") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("text/html", `<title>a</title><meta property="og:image" content="/a">`)
	f.Add("text/html; charset=utf-16", "\xff\xfe<\x00")
	at, _ := url.Parse("https://x.org/")
	f.Fuzz(func(t *testing.T, kind, body string) {
		e, err := read(strings.NewReader(body), kind, at)
		if err != nil {
			t.Skip()
		}
		for _, s := range []string{e.Title, e.Description, e.Image} {
			if strings.ContainsAny(s, "\x00\n\r") {
				t.Errorf("%q", s)
			}
		}
		if e.Image != "" && markdown.Site(e.Image) == "" {
			t.Errorf("an image at %q", e.Image)
		}
	})
}
