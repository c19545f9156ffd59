// Package notices writes messages of system bots about changes: to channels, to users who were subscribed or added to
// groups, and to new users.
package notices

import (
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/send"
	"github.com/stoachat/stoa/ports"
)

// Service writes notices.
type Service struct {
	Sending   *send.Service
	Directory ports.Directory
}

// Endpoints returns the endpoints of notices.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST(
			"/realm/test_welcome_bot_custom_message",
			kit.Admins,
			s.testWelcome,
			"Sends the caller a text as new people would get it.",
		),
	}
}

// Listeners returns the hooks that write notices.
func (s *Service) Listeners() []kit.Hook {
	return []kit.Hook{
		kit.On(s.created), kit.On(s.added), kit.On(s.changed), kit.On(s.membersChanged), kit.On(s.joined).Order(10),
	}
}
