package widgets

import (
	"context"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/widget"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module adds widgets to messages.
var Module = kit.Define("widgets", "Turns messages into polls and to-do lists.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	Submessages ports.Submessages
	Settings    ports.UserSettings
}

type service struct{ needs }

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/submessage", kit.Users, s.add, "Attaches data to a message, such as a vote to a poll.").
				Operation("addSubmessage"),
			kit.POST("/zcommand", kit.Users, s.command, "Runs a command of the web app, such as /dark.").
				Operation("runCommand"),
		},
		Answers: []kit.Answer{kit.Answers(widgetOf)},
	}, nil
}

// widgetOf answers message.WidgetOf: the widget that widget_content or the text of a message describes, if any. Errors:
// BadRequest.
func widgetOf(_ context.Context, q message.WidgetOf) (string, error) {
	if q.Description != "" {
		text, _, err := widget.Parse(q.Description)
		return text, err
	}
	text, _ := widget.FromCommand(q.Content)
	return text, nil
}

type addReq struct {
	Message message.ID `json:"message_id"`
	Type    string     `json:"msg_type"`
	Content string     `json:"content"`
}

// add handles POST /submessage. Errors: BadRequest.
func (s *service) add(ctx context.Context, a kit.Actor, in addReq) (kit.None, error) {
	if err := message.CheckSubmessage(in.Type, in.Content); err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.Submessages.Attach(ctx, a, in.Message, in.Type, in.Content,
		func(to ports.Attaching) ([]message.Submessage, error) {
			switch {
			case to.First == nil && widget.KindOf(in.Content) != "":
				_, _, err := widget.Parse(in.Content)
				return nil, err
			case to.First == nil || to.First.Type != message.TypeWidget:
				return nil, nil
			}
			kind := widget.KindOf(to.First.Content)
			if err := widget.CheckEvent(kind, in.Content, to.Message.Sender == a.User); err != nil {
				return nil, err
			}
			return formerVotes(kind, to, in.Content), nil
		})
}

// formerVotes returns the caller's votes that a new one replaces.
func formerVotes(kind string, to ports.Attaching, content string) (replaced []message.Submessage) {
	former := make([]string, len(to.Own))
	for i, one := range to.Own {
		if one.ID != to.First.ID && one.Type == message.TypeWidget {
			former[i] = one.Content
		}
	}
	for _, i := range widget.Replaced(kind, former, content) {
		replaced = append(replaced, to.Own[i])
	}
	return replaced
}
