package fiberhttp

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/stoachat/stoa/adapters/metrics"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// BenchmarkRow compares a typed endpoint, with authentication, access rule, parameters and response, with a Fiber
// handler that writes the same bytes, with one that also has authentication, a limit and parameters, and with an
// endpoint that is measured. None uses the network.
func BenchmarkRow(b *testing.B) {
	type in struct {
		ID      int64   `json:"id"`
		Topic   *string `json:"topic" alias:"subject"`
		Content string  `json:"content"`
		IDs     []int64 `json:"ids"`
		Quiet   bool    `json:"quiet" default:"false"`
	}
	type out struct {
		ID  int64   `json:"id"`
		IDs []int64 `json:"ids"`
	}
	row := kit.POST("/things/:id", kit.Members,
		func(_ context.Context, _ kit.Actor, i in) (out, error) { return out{i.ID, i.IDs}, nil }, "")
	w := newFakes()
	cfg := Defaults()
	cfg.RateLimits.PerUser = 1 << 40
	s, err := New(cfg, Deps{Collected: collected(row), Directory: w, Realms: w, Authenticator: w, Clock: w,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	s.base, s.cancel = context.WithCancel(b.Context())
	defer s.cancel()
	measured, err := New(cfg, Deps{Collected: collected(row), Directory: w, Realms: w, Authenticator: w, Clock: w,
		Log: slog.New(slog.DiscardHandler), Metrics: ports.NewMetrics(metrics.New(w))})
	if err != nil {
		b.Fatal(err)
	}
	measured.base, measured.cancel = context.WithCancel(b.Context())
	defer measured.cancel()
	bareApp := fiber.New(fiber.Config{DisableStartupMessage: true})
	bareApp.Post("/api/v1/things/:id", func(c *fiber.Ctx) error {
		return c.SendString(`{"result":"success","msg":"","id":7,"ids":[1,2,3]}`)
	})
	limitedApp := fiber.New(fiber.Config{DisableStartupMessage: true})
	taken := newBuckets[user.ID](1<<40, time.Minute, 1000)
	limitedApp.Post("/api/v1/things/:id", func(c *fiber.Ctx) error {
		email, key, err := basic(c.Get(fiber.HeaderAuthorization))
		if err != nil {
			return err
		}
		a, err := w.Authenticate(c.Context(), 1, email, key)
		if err != nil {
			return err
		}
		q, ok := taken.take(a.User, w.Now())
		if !ok {
			return fiber.ErrTooManyRequests
		}
		c.Set("X-Ratelimit-Limit", strconv.Itoa(q.limit))
		c.Set("X-Ratelimit-Remaining", strconv.Itoa(q.remaining))
		c.Set("X-Ratelimit-Reset", strconv.FormatInt(q.reset.Unix(), 10))
		var i in
		if err := json.Unmarshal([]byte(c.Query("ids")), &i.IDs); err != nil {
			return err
		}
		i.Content, i.Quiet = c.Query("content"), c.QueryBool("quiet")
		if i.ID, err = strconv.ParseInt(c.Params("id"), 10, 64); err != nil {
			return err
		}
		return c.JSON(struct {
			Result string  `json:"result"`
			Msg    string  `json:"msg"`
			ID     int64   `json:"id"`
			IDs    []int64 `json:"ids"`
		}{"success", "", i.ID, i.IDs})
	})
	for name, h := range map[string]fasthttp.RequestHandler{
		"stoa": s.app.Handler(), "measured": measured.app.Handler(), "bare": bareApp.Handler(),
		"limited": limitedApp.Handler(),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			auth := basicAuth("alice@example.com", "alice")
			var ctx fasthttp.RequestCtx // as for all requests of a connection
			for b.Loop() {
				ctx.Request.Reset()
				ctx.Response.Reset()
				ctx.ResetUserValues()
				ctx.Request.Header.SetMethod("POST")
				ctx.Request.SetRequestURI("/api/v1/things/7?topic=lunch&content=hello+world&ids=%5B1,2,3%5D")
				ctx.Request.Header.SetHost("localhost")
				ctx.Request.Header.Set("Authorization", auth)
				h(&ctx)
				if got := string(ctx.Response.Body()); got != `{"result":"success","msg":"","id":7,"ids":[1,2,3]}` {
					b.Fatal(got)
				}
			}
		})
	}
}

// BenchmarkBindIDs binds a list of 5,000 IDs, the maximum per call.
func BenchmarkBindIDs(b *testing.B) {
	type in struct {
		Messages []int64 `json:"messages"`
	}
	p, err := newBinder(reflect.TypeFor[in]())
	if err != nil {
		b.Fatal(err)
	}
	list := []byte("[1000000")
	for range 4_999 {
		list = append(list, ",1000000"...)
	}
	q := &params{max: 500, list: []param{{name: "messages", value: string(append(list, ']'))}}}
	b.ReportAllocs()
	for b.Loop() {
		var got in
		if _, err := p.bind(&got, q, func(string) string { return "" }, limits{depth: 32, elements: 50_000}); err != nil ||
			len(got.Messages) != 5_000 {
			b.Fatal(err, len(got.Messages))
		}
	}
}
