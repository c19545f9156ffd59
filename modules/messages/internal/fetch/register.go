package fetch

import (
	"context"

	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Sections returns the sections of /register.
func (s *Service) Sections() []kit.Section {
	return []kit.Section{
		kit.Register("message", s.newestSection),
		kit.Register("recent_private_conversations", s.recentSection),
		kit.Register("stoa_search_operators", s.operatorsSection).Named(),
	}
}

type newestPart struct {
	Newest message.ID `json:"max_message_id" forms:"integer" doc:"The ID of the newest message; -1: there is none."`
}

func (s *Service) newestSection(ctx context.Context, a kit.Actor, _ event.Client) (newestPart, error) {
	id, err := s.newestID(ctx, a)
	return newestPart{id}, err
}

// Newest answers user.NewestMessage.
func (s *Service) Newest(ctx context.Context, q user.NewestMessage) (int64, error) {
	id, err := s.newestID(ctx, user.Actor{Realm: q.Realm, User: q.User})
	return int64(id), err
}

// maxRecent is the maximum number of direct conversations in /register.
const maxRecent = 1000

type recentPart struct {
	Recent []recent `json:"recent_private_conversations"`
}

type recent struct {
	Newest message.ID `json:"max_message_id"`
	Users  []user.ID  `json:"user_ids"` // the other participants
}

func (s *Service) recentSection(ctx context.Context, a kit.Actor, _ event.Client) (recentPart, error) {
	out := recentPart{Recent: []recent{}}
	rows, err := s.Store.Conversations.Recent(ctx, a.User, maxRecent)
	if err != nil {
		return out, err
	}
	rs := make([]message.Recipient, len(rows))
	for i, r := range rows {
		rs[i] = message.OfDirect(r.Conversation)
	}
	members, err := s.Store.Conversations.Members(ctx, rs)
	for i, r := range rows {
		others := members[rs[i]].Minus(user.Set{a.User})
		out.Recent = append(out.Recent, recent{r.Newest, append([]user.ID{}, others...)})
	}
	return out, err
}

// operatorsPart is the section of /register with the operators of narrows that modules add.
type operatorsPart struct {
	Operators []listedOperator `json:"stoa_search_operators"`
}

type listedOperator struct {
	Name   string `json:"name"`
	Module string `json:"module"`
	Doc    string `json:"doc"`
}

func (s *Service) operatorsSection(context.Context, kit.Actor, event.Client) (operatorsPart, error) {
	out := operatorsPart{[]listedOperator{}}
	for _, m := range s.Collected.Modules {
		for _, o := range m.Parts.Operators {
			out.Operators = append(out.Operators, listedOperator{o.Name, m.Module, o.Doc})
		}
	}
	return out, nil
}
