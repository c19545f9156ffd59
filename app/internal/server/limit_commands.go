package server

import (
	"context"
	"fmt"

	"github.com/stoachat/stoa/adapters/fiberhttp"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// limited returns the selected user as rate limits see them. Errors: one with Gone.
func (s *Server) limited(ctx context.Context, a kit.Actor, in kit.UserFlag) (*user.User, fiberhttp.Limited, error) {
	_, u, err := in.Find(ctx, s.Ports.Directory, a.Realm)
	if err != nil {
		return nil, fiberhttp.Limited{}, err
	}
	return u, fiberhttp.Limited{Realm: a.Realm, User: u.ID, BotOwner: u.BotOwner, Address: u.DeliveryEmail}, nil
}

func (s *Server) showLimits(ctx context.Context, a kit.Actor, in kit.UserFlag) ([]fiberhttp.Usage, error) {
	_, of, err := s.limited(ctx, a, in)
	if err != nil {
		return nil, err
	}
	return s.http.Usage(of), nil
}

// restored is the output of limit reset.
type restored struct {
	ID    user.ID `json:"user_id"`
	Email string  `json:"email"`
}

func (r restored) String() string {
	return fmt.Sprintf("reset the rate limits of %s on this node", r.Email)
}

func (s *Server) resetLimits(ctx context.Context, a kit.Actor, in kit.UserFlag) (restored, error) {
	u, of, err := s.limited(ctx, a, in)
	if err != nil {
		return restored{}, err
	}
	err = s.kernel.Do(ctx, func(ctx context.Context) error {
		return s.kernel.Record(ctx, audit.Fact{
			Realm: a.Realm, Action: audit.UserLimitsReset, Target: audit.To(audit.User, u.ID),
		})
	})
	if err == nil {
		s.http.ResetUsage(of)
	}
	return restored{u.ID, u.DeliveryEmail}, err
}
