package kittest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/ports"
)

type needs struct {
	fx.In
	Work  ports.UnitOfWork
	Log   ports.EventLog
	Clock ports.Clock
	Dir   ports.Directory
}

type said struct {
	Who  user.ID `json:"who"`
	Text string  `json:"text"`
}

type sayReq struct {
	Text string `json:"text"`
	To   *int64 `json:"to"`
}

var spoken = kit.Event[said]("echo", "say")

// echo returns a module without tables that logs what users say.
func echo(runs *int) kit.Module {
	return kit.Define("echo", "Logs what people say.", kit.None{}, func(_ kit.None, n needs) (kit.Parts, error) {
		say := func(ctx context.Context, a kit.Actor, in sayReq) (map[string]any, error) {
			to := event.Everyone()
			if in.To != nil {
				to = event.To(user.ID(*in.To)).But(a.User)
			}
			err := n.Work.Do(ctx, func(ctx context.Context) error {
				return n.Log.Append(ctx, spoken.To(a.Realm, to, said{a.User, in.Text}))
			})
			return map[string]any{"at": n.Clock.Now().Unix(), "echo": []string{in.Text}}, err
		}
		who := func(ctx context.Context, a kit.Actor, _ kit.None) (map[string]any, error) {
			v, err := n.Dir.View(ctx, a.Realm)
			if err != nil {
				return nil, err
			}
			return map[string]any{"rooms": roomsOf(v, a.User), "role": a.Role}, nil
		}
		return kit.Parts{
			Endpoints: []kit.Endpoint{
				kit.POST("/say", kit.Users, say, "Says.").Causing("echo/say"),
				kit.GET("/who", kit.Users, who, "Who."),
			},
			Events: []kit.AnyEvent{spoken.Any()},
			Jobs:   []kit.Job{{Name: "tick", Every: time.Hour, Run: func(context.Context) error { *runs++; return nil }}},
		}, nil
	})
}

func roomsOf(v *directory.View, u user.ID) string {
	var names []string
	for _, c := range v.Subscriptions(u) {
		names = append(names, v.Channel(c).Name)
	}
	return strings.Join(names, " ")
}

func TestPeople(t *testing.T) {
	runs := 0
	for name, modules := range map[string][]kit.Module{
		"stand-ins":         {echo(&runs)},
		"real":              {realm.Module, accounts.Module, groups.Module, channels.Module, echo(&runs)},
		"some real modules": {realm.Module, accounts.Module, echo(&runs)},
	} {
		t.Run(name, func(t *testing.T) {
			s := kittest.Start(t, modules...)
			for who, want := range map[string]string{
				"alice": `{"rooms":"general secret","role":400}`,
				"bob":   `{"rooms":"general","role":400}`,
				"olga":  `{"rooms":"general secret","role":100}`,
				"adam":  `{"rooms":"","role":200}`,
				"mona":  `{"rooms":"","role":300}`,
				"guest": `{"rooms":"general","role":600}`,
				"bot":   `{"rooms":"general","role":400}`,
			} {
				s.As(who).Do("GET /who").Is(200, `{"result":"success","msg":"",`+want[1:])
			}
			s.NoEvents()
			s.Anonymous().Do("GET /who").Error(401, "UNAUTHORIZED", "")
			s.WithKey(s.As("bob").Email(), s.As("alice").Key()).Do("GET /who").Error(401, "UNAUTHORIZED", "")
			s.Restart()
			s.As("alice").Do("GET /who").OK()
			s.NoEvents()
		})
	}
}

func TestEventsAndAnswers(t *testing.T) {
	runs := 0
	s := kittest.Start(t, echo(&runs))
	a := s.As("alice").Do("POST /say", "text", "hi & bye").OK()
	if a.Int("at") != kittest.Epoch().Unix() || a.String("echo.0") != "hi & bye" || a.Has("echo.1") {
		t.Errorf("got %s", a.Body)
	}
	s.Clock.Advance(time.Minute)
	s.As("bob").Do("POST /say", "text", "x", "to", kittest.JSON(s.UserID("olga"))).
		Is(200, fmt.Sprintf(`{"result":"success","msg":"","at":%d,"echo":"*"}`, kittest.Epoch().Unix()+60))
	s.Events(`echo/say everyone {"who":1,"text":"hi & bye"}`, `echo/say user:olga-bob {"who":"*","text":"x"}`)
	s.NoEvents()
	s.As("alice").Do("POST /say").Error(400, "REQUEST_VARIABLE_MISSING", "text")
	s.RunJob("echo.tick")
	if runs != 1 {
		t.Errorf("the job ran %d times", runs)
	}
	if res := s.Anonymous().Under("").Do("GET /health"); res.Status != http.StatusOK {
		t.Errorf("health: %d", res.Status)
	}
}

// TestAsserts checks that assertions fail when they should.
func TestAsserts(t *testing.T) {
	runs := 0
	s := kittest.Start(t, echo(&runs))
	answer := s.As("alice").Do("GET /who")
	for name, check := range map[string]func(s *kittest.Server, a *kittest.Response){
		"status": func(_ *kittest.Server, a *kittest.Response) { a.Is(400, a.Body) },
		"a field more": func(_ *kittest.Server, a *kittest.Response) {
			a.Is(200, `{"result":"success","msg":"","role":400}`)
		},
		"a field less": func(_ *kittest.Server, a *kittest.Response) {
			a.Is(200, strings.Replace(a.Body, "{", `{"x":1,`, 1))
		},
		"another value": func(_ *kittest.Server, a *kittest.Response) { a.Is(200, strings.Replace(a.Body, "400", "401", 1)) },
		"no error":      func(_ *kittest.Server, a *kittest.Response) { a.Error(200, "", "") },
		"no such field": func(_ *kittest.Server, a *kittest.Response) { a.Get("x.y") },
		"event missing": func(s *kittest.Server, _ *kittest.Response) { s.Events("echo/say everyone") },
		"event payload": func(s *kittest.Server, _ *kittest.Response) {
			s.As("alice").Do("POST /say", "text", "x")
			s.Events(`echo/say everyone {"who":2,"text":"x"}`)
		},
		"event audience": func(s *kittest.Server, _ *kittest.Response) {
			s.As("alice").Do("POST /say", "text", "x")
			s.Events(`echo/say admins {"who":1,"text":"x"}`)
		},
		"event too many": func(s *kittest.Server, _ *kittest.Response) {
			s.As("alice").Do("POST /say", "text", "x")
			s.NoEvents()
		},
	} {
		if !fails(t, func(tb testing.TB) { a := *answer; a.T = tb; check(s.In(tb), &a) }) {
			t.Errorf("%s: the check passed", name)
		}
		s.Skip()
	}
}

type recorder struct {
	testing.TB
	failed bool
}

type failedNow struct{}

func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(failedNow{}) }
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

func fails(t *testing.T, fn func(testing.TB)) (failed bool) {
	r := &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(failedNow); !ok {
				panic(p)
			}
		}
		failed = r.failed
	}()
	fn(r)
	return r.failed
}

type steeped struct {
	Minutes int `json:"minutes"`
}

// TestUndescribed checks that responses, events and parameters that the description of the API lacks fail a test.
func TestUndescribed(t *testing.T) {
	sent := map[string]any{"minutes": 3}
	tea := kit.Define("tea", "Makes tea.", kit.None{}, func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		steep := func(context.Context, kit.Actor, kit.None) (map[string]any, error) { return sent, nil }
		return kit.Parts{Endpoints: []kit.Endpoint{
			kit.GET("/tea", kit.Users, steep, "Makes tea.").Shows(steeped{}),
		}}, nil
	})
	s := kittest.Start(t, tea)
	call := func(tb testing.TB) { s.In(tb).As("alice").Do("GET /tea") }
	if fails(t, call) {
		t.Error("what is described failed")
	}
	for name, value := range map[string]any{"sugar": true, "minutes": "three"} {
		sent = map[string]any{"minutes": 3, name: value}
		if !fails(t, call) {
			t.Errorf("%v passed", sent)
		}
	}
}
