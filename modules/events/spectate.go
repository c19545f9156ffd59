package events

import (
	"context"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
)

// spectate handles POST /register without login; the HTTP server has checked that the realm admits spectators. It
// returns the web-public state and creates no queue. Errors: BadRequest.
func (s *service) spectate(ctx context.Context, a kit.Actor, in registerReq) (kit.Object, error) {
	asked := in
	asked.ClientGravatar = new(isTrue(in.ClientGravatar)) // spectators have no addresses to compute avatars from
	want, err := asked.read(s.cfg.IdleTimeout, s.Collected.Operators)
	switch {
	case err != nil:
		return nil, err
	case want.spec.Client.ClientGravatar:
		return nil, errs.Bad("client_gravatar is not for requests without login.")
	case want.spec.Client.Subscribers != event.NoSubscribers:
		return nil, errs.Bad("include_subscribers is not for requests without login.")
	case want.spec.AllPublic:
		return nil, errs.Bad("User not authorized for this query")
	}
	answer, _, err := s.snapshot(ctx, a, want)
	if err != nil {
		return nil, err
	}
	delete(answer, "streams") // spectators receive channels only as subscriptions
	answer["queue_id"], answer["last_event_id"], answer["idle_queue_timeout_secs"] = nil, -1, 0
	return answer, nil
}
