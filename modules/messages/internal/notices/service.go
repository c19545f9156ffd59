// Package notices sends system bots' messages about changes: to channels, to users who were subscribed to channels or
// added to groups, and to new users.
package notices

import (
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/ports"
)

// Service sends notices.
type Service struct {
	Sender    *send.Service
	Directory ports.Directory
}

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST(
			"/realm/test_welcome_bot_custom_message",
			kit.Admins,
			s.testWelcome,
			"Sends the caller a preview of a welcome message.",
		).Operation("testWelcomeMessage"),
	}
}

// Listeners returns the package's hooks.
func (s *Service) Listeners() []kit.Hook {
	return []kit.Hook{
		kit.On(s.created), kit.On(s.added), kit.On(s.changed), kit.On(s.membersChanged), kit.On(s.joined).Order(10),
	}
}
