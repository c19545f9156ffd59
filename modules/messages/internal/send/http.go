package send

import (
	"context"
	"strings"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/markup"
)

// Endpoints returns the package's endpoints.
func (s *Service) Endpoints() []kit.Endpoint {
	return []kit.Endpoint{
		kit.POST("/messages", kit.Users, s.post, "Sends a message to a channel or to people.").
			Operation("sendMessage").Webhooks(),
		kit.POST("/messages/render", kit.Users, s.preview, "Renders a text like a message.").
			Operation("renderMessage").Reading(),
		kit.POST("/stoa/slash", kit.Users, s.slash, "Runs a slash command of a module in a conversation.").
			Operation("runSlashCommand"),
	}
}

type request struct {
	Type         string  `json:"type" enum:"channel,stream,direct,private"`
	To           *string `json:"to" forms:"integer | string | array of integer | array of string"`
	Topic        *string `json:"topic" alias:"subject"`
	Content      string  `json:"content"`
	Queue        string  `json:"queue_id" default:""`
	Local        string  `json:"local_id" default:""`
	ReadBySender *bool   `json:"read_by_sender"`
	Widget       string  `json:"widget_content" default:""`
	Sender       *string `json:"sender"`
	Forged       *string `json:"forged"`
	Key          string  `header:"Idempotency-Key"`
}

// maxClientID is the maximum length of the identifiers by which clients recognize their own messages, in bytes.
const maxClientID = 200

type response struct {
	ID     message.ID       `json:"id"`
	Policy topic.Visibility `json:"automatic_new_visibility_policy,omitempty"` // policy that the sender got for the topic
}

func (s *Service) post(ctx context.Context, a kit.Actor, in request) (response, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return response{}, err
	}
	out, err := parseRequest(v, a, in)
	if err != nil {
		return response{}, s.warnMissing(ctx, a, in, err)
	}
	if err := s.warnUnsubscribed(ctx, v, a, out); err != nil {
		return response{}, err
	}
	if in.ReadBySender != nil && *in.ReadBySender || in.ReadBySender == nil && message.ReadBySender(a.Client) {
		out.ReadFor = a.User
	}
	d, err := s.send(ctx, v, a, out, clientIDs{in.Queue, in.Local, in.Key})
	if err != nil {
		return response{}, err
	}
	return response{d.id, d.policy}, nil
}

// parseRequest parses the content and the recipients of a request. Errors: those of POST /messages that precede the
// permission checks.
func parseRequest(v *directory.View, a kit.Actor, in request) (out message.Outgoing, err error) {
	switch {
	case in.Forged != nil:
		return out, errs.Bad("User not authorized for this query")
	case in.Sender != nil:
		return out, errs.Bad("Invalid mirrored message")
	case len(in.Queue) > maxClientID:
		return out, errs.Bad("Invalid queue_id")
	case len(in.Local) > maxClientID:
		return out, errs.Bad("Invalid local_id")
	case len(in.Key) > maxClientID:
		return out, errs.Bad("Invalid Idempotency-Key")
	}
	sender, err := permission.Caller(v, a)
	if err != nil {
		return out, err
	}
	switch in.Type {
	case "channel", "stream":
		err = setChannel(v, sender, in, &out)
	case "direct", "private":
		err = setUsers(v, sender, in, &out)
	default:
		err = errs.Bad("Invalid type")
	}
	if err != nil {
		return out, err
	}
	out.WidgetContent = in.Widget
	out.Content, err = message.Clean(in.Content)
	return out, err
}

func setChannel(v *directory.View, sender *user.User, in request, out *message.Outgoing) error {
	to, err := channelOf(v, sender, in)
	if err != nil {
		return err
	}
	if in.Topic == nil {
		return errs.Bad("Missing topic")
	}
	if out.Topic, err = topic.Clean(*in.Topic); err != nil {
		return err
	}
	c, err := message.FindChannel(v, to)
	if err != nil {
		return err
	}
	if to.Name == "" && !seesChannel(v, c, sender) { // the error of CheckPost would reveal the name
		return message.NoChannel(to)
	}
	out.Channel = c.ID
	return nil
}

// channelOf returns the channel that the request names, or a bot's default channel if it names none. Errors:
// BadRequest, Missing.
func channelOf(v *directory.View, sender *user.User, in request) (message.ToChannel, error) {
	if in.To != nil && strings.TrimSpace(*in.To) != "[]" {
		return message.ParseToChannel(*in.To)
	}
	if own := bot.In(v, sender.ID).Sends; own != 0 {
		return message.ToChannel{ID: own}, nil
	}
	if in.To == nil {
		return message.ToChannel{}, errs.New(errs.Missing, "Missing 'to' argument").With("var_name", "to")
	}
	return message.ParseToChannel(*in.To)
}

// seesChannel reports whether the sender or, for bots, the sender's owner can see a channel.
func seesChannel(v *directory.View, c *channel.Channel, u *user.User) bool {
	return u.System || permission.SeesChannel(v, c, u) || u.IsBot() && permission.SeesChannel(v, c, v.User(u.BotOwner))
}

func setUsers(v *directory.View, sender *user.User, in request, out *message.Outgoing) error {
	to := message.ToPeople{}
	if in.To != nil {
		var err error
		if to, err = message.ParseToPeople(*in.To); err != nil {
			return err
		}
	}
	all, err := message.FindPeople(v, sender, to)
	out.To = all
	return err
}

type previewRequest struct {
	Content string `json:"content"`
}

type previewResponse struct {
	Rendered string `json:"rendered"`
}

// preview handles POST /messages/render. It renders and truncates a text like a message. Errors: BadRequest.
func (s *Service) preview(ctx context.Context, a kit.Actor, in previewRequest) (previewResponse, error) {
	if strings.TrimSpace(in.Content) == "" {
		return previewResponse{}, nil // unlike a message, a preview may be empty
	}
	text, err := message.Clean(in.Content)
	if err != nil {
		return previewResponse{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return previewResponse{}, err
	}
	out, err := s.Markup.Render(ctx, v, markup.Text{Sender: a.User, RealmURL: a.URL, Markdown: text})
	return previewResponse{out.HTML}, err
}
