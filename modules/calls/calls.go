package calls

import (
	"context"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// Module rejects requests for video calls.
var Module = kit.Define(
	"calls",
	"Reports which video call services the server supports: none except Jitsi, which clients handle themselves.",
	Config{},
	wire,
)

// Config has no settings.
type Config struct{}

type needs struct{ fx.In }

func wire(Config, needs) (kit.Parts, error) {
	return kit.Parts{Endpoints: []kit.Endpoint{
		kit.GET("/calls/bigbluebutton/create", kit.Users, refuse[meeting]("BigBlueButton"),
			"Creates a call with BigBlueButton."),
		kit.POST("/calls/zoom/create", kit.Users, refuse[kit.None]("Zoom"), "Creates a call with Zoom."),
		kit.POST(
			"/calls/constructorgroups/create",
			kit.Users,
			refuse[kit.None]("Constructor Groups"),
			"Creates a call with Constructor Groups.",
		),
		kit.POST("/calls/nextcloud_talk/create", kit.Users, refuse[room]("Nextcloud Talk"),
			"Creates a call with Nextcloud Talk."),
		kit.POST("/calls/webex/create", kit.Users, refuse[kit.None]("Webex"), "Creates a call with Webex."),
	}}, nil
}

type meeting struct {
	Name      string `json:"meeting_name"`
	VoiceOnly bool   `json:"voice_only" default:"false"`
}

type room struct {
	Name string `json:"room_name"`
}

// refuse returns a handler for a call service that is not configured. Errors: BadRequest.
func refuse[Req any](service string) kit.Handler[Req, kit.None] {
	return func(context.Context, kit.Actor, Req) (kit.None, error) {
		return kit.None{}, errs.Bad("%s is not configured.", service)
	}
}
