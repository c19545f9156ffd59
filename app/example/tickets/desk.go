package tickets

import (
	"context"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// channel returns the channel of the tickets, which the bot creates if it is missing, and subscribes the agents and the
// user who reports.
func (s *service) channel(ctx context.Context, bot user.Actor, reporter user.ID) (channel.ID, error) {
	v, err := s.Directory.View(ctx, bot.Realm)
	if err != nil {
		return 0, err
	}
	us := append(s.agents(ctx, bot.Realm), reporter)
	if c := v.ChannelByName(s.cfg.Channel); c != nil {
		return c.ID, s.Channels.Subscribe(ctx, bot, us, c.ID)
	}
	return s.Channels.Create(ctx, bot, ports.NewChannel{Name: s.cfg.Channel, Description: "Tickets."}, us)
}

// agentsName is the name of the group of the users who are notified of tickets.
const agentsName = "ticket agents"

func (s *service) agents(ctx context.Context, r realm.ID) []user.ID {
	v, err := s.Directory.View(ctx, r)
	if err != nil {
		return nil
	}
	for g := range v.Groups() {
		if g.Name == agentsName && !g.Deactivated {
			return permission.Members(v, group.Named(g.ID))
		}
	}
	return nil
}

type agentsReq struct {
	Add    []user.ID `json:"add" default:"[]"`
	Remove []user.ID `json:"remove" default:"[]"`
}

// setAgents handles POST /tickets/agents. The first call creates the group. Errors: BadRequest.
func (s *service) setAgents(ctx context.Context, a kit.Actor, in agentsReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		for g := range v.Groups() {
			if g.Name == agentsName {
				return s.Groups.ChangeMembers(ctx, a, g.ID, in.Add, in.Remove)
			}
		}
		_, err = s.Groups.Create(ctx, a, ports.NewGroup{
			Name: agentsName, Description: "They are notified of tickets.", Members: in.Add,
		})
		return err
	})
}
