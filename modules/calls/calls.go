package calls

import (
	"context"
	"errors"
	"net/url"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module creates video calls.
var Module = kit.Define(
	"calls",
	"Creates video calls with BigBlueButton, if it is configured. Clients create calls with Jitsi themselves.",
	Config{},
	wire,
)

// Config is the configuration of the module.
type Config struct {
	// URL of a BigBlueButton server, as bbb-conf --secret prints it, such as https://bbb.example.com/bigbluebutton/;
	// organizations can then choose it. If its address is not public, adapters.webhooks.networks must allow it
	BigBlueButtonURL    string     `yaml:"bigbluebutton_url"`
	BigBlueButtonSecret kit.Secret `yaml:"bigbluebutton_secret"` // secret of the BigBlueButton server
}

// Validate checks the configuration.
func (c Config) Validate() error {
	if c.BigBlueButtonURL == "" {
		if c.BigBlueButtonSecret != "" {
			return errors.New("bigbluebutton_url: missing, but bigbluebutton_secret is set")
		}
		return nil
	}
	u, err := url.Parse(c.BigBlueButtonURL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.RawQuery != "" || u.Fragment != "" {
		return errors.New("bigbluebutton_url: want a URL such as https://bbb.example.com/bigbluebutton/")
	}
	if c.BigBlueButtonSecret == "" {
		return errors.New("bigbluebutton_secret: missing; bbb-conf --secret prints it on the BigBlueButton server")
	}
	return nil
}

type needs struct {
	fx.In
	Directory ports.Directory
	Sealer    ports.Sealer

	Webhooks ports.Webhooks `optional:"true"`
}

type service struct {
	needs
	cfg Config
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	if cfg.BigBlueButtonURL != "" && n.Webhooks == nil {
		return kit.Parts{}, errors.New("modules.calls.bigbluebutton_url: the server needs the adapter webhooks")
	}
	s := &service{n, cfg}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.GET("/calls/bigbluebutton/create", kit.Users, s.create,
				"Returns the link of a new call with BigBlueButton.").Operation("createBigBlueButtonCall"),
			kit.GET("/calls/bigbluebutton/join", kit.Humans, s.join,
				"Redirects to a call with BigBlueButton, which it creates first if necessary.").
				Operation("joinBigBlueButtonCall").AtRoot(),
			kit.POST("/calls/zoom/create", kit.Users, refuse[kit.None]("Zoom"), "Creates a call with Zoom.").
				Operation("createZoomCall"),
			kit.POST(
				"/calls/constructorgroups/create",
				kit.Users,
				refuse[kit.None]("Constructor Groups"),
				"Creates a call with Constructor Groups.",
			).Operation("createConstructorGroupsCall"),
			kit.POST("/calls/nextcloud_talk/create", kit.Users, refuse[room]("Nextcloud Talk"),
				"Creates a call with Nextcloud Talk.").Operation("createNextcloudTalkCall"),
			kit.POST("/calls/webex/create", kit.Users, refuse[kit.None]("Webex"), "Creates a call with Webex.").
				Operation("createWebexCall"),
		},
		Answers: []kit.Answer{kit.Answers(s.offers)},
	}, nil
}

// offers answers whether organizations can choose BigBlueButton.
func (s *service) offers(context.Context, realm.OffersBigBlueButton) (bool, error) {
	return s.configured(), nil
}

func (s *service) configured() bool { return s.cfg.BigBlueButtonURL != "" }

type room struct {
	Name string `json:"room_name"`
}

// refuse returns a handler for a call service that is not configured. Errors: BadRequest.
func refuse[Req any](service string) kit.Handler[Req, kit.None] {
	return func(context.Context, kit.Actor, Req) (kit.None, error) { return kit.None{}, unconfigured(service) }
}

func unconfigured(service string) error { return errs.Bad("%s is not configured.", service) }
