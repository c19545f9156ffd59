package onboarding

import (
	"context"
	"embed"
	"errors"
	"net/url"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module records the hints that users have seen.
var Module = kit.Define(
	"onboarding",
	"Records which of the clients' introductory hints a user has seen.",
	Config{Hints: true},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	Hints     bool   `yaml:"hints"`      // whether clients show hints
	TourVideo string `yaml:"tour_video"` // URL of an introductory video; none if empty
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if u, err := url.Parse(c.TourVideo); c.TourVideo != "" &&
		(err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		return errors.New("tour_video: want a URL such as https://example.com/tour.mp4, or nothing")
	}
	return nil
}

type needs struct {
	fx.In
	DB   *bunstore.DB
	Work ports.UnitOfWork
	Log  ports.EventLog
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/onboarding_steps", kit.Humans, s.markSeen, "Marks a hint as seen.").
				Operation("markOnboardingStep").Idempotent(),
		},
		Tables:     []kit.Table{kit.Exported[row]("A hint that a user has seen.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("onboarding_steps", s.section)},
		Events:     []kit.AnyEvent{stepsSeen.Late(s.loadRemaining).Any()},
	}, nil
}

// seen is the logged payload of onboarding_steps. The remaining hints are loaded at delivery.
type seen struct {
	User      user.ID `json:"user"`
	remaining []step
}

type remainingSteps struct {
	Steps []step `json:"onboarding_steps"`
}

var stepsSeen = kit.Event[seen]("onboarding_steps", "").Shape(show).Sends(remainingSteps{})

func show(_ context.Context, _ *directory.View, _ event.Client, e *seen) (any, bool) {
	return remainingSteps{e.remaining}, true
}

// loadRemaining loads the remaining hints for a page of events with one query.
func (s *service) loadRemaining(ctx context.Context, _ *directory.View, all []*seen) error {
	us := make([]user.ID, len(all))
	for i, e := range all {
		us[i] = e.User
	}
	seenBy, err := s.rows.Seen(ctx, us...)
	for _, e := range all {
		e.remaining = s.cfg.remaining(seenBy[e.User])
	}
	return err
}

type section struct {
	Steps []step  `json:"onboarding_steps"`
	Tour  *string `json:"navigation_tour_video_url"`
}

func (s *service) section(ctx context.Context, a kit.Actor, _ event.Client) (section, error) {
	seenBy, err := s.rows.Seen(ctx, a.User)
	out := section{Steps: s.cfg.remaining(seenBy[a.User])}
	if s.cfg.TourVideo != "" {
		out.Tour = &s.cfg.TourVideo
	}
	return out, err
}

type request struct {
	Step string `json:"onboarding_step"`
}

// markSeen handles POST /users/me/onboarding_steps. Errors: BadRequest.
func (s *service) markSeen(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	if !known(in.Step) {
		return kit.None{}, errs.Bad("Unknown onboarding_step: %.60s", in.Step)
	}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		added, err := s.rows.MarkSeen(ctx, a.Realm, a.User, in.Step)
		if err != nil || !added {
			return err
		}
		return s.Log.Append(ctx, stepsSeen.To(a.Realm, event.To(a.User), seen{User: a.User}))
	})
}
