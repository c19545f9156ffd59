package reports

import (
	"context"
	"embed"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module posts reports of messages.
var Module = kit.Define("reports", "Posts reports of messages to the moderation request channel.", Config{}, wire)

// Config has no settings.
type Config struct{}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Clock     ports.Clock
	Directory ports.Directory
	Messages  ports.Messages
	Sender    ports.Sender
}

type service struct {
	needs
	rows store
}

func wire(_ Config, n needs) (kit.Parts, error) {
	s := &service{n, store{n.DB}}
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/messages/:message_id/report", kit.Users, s.report, "Reports a message to the moderators.").
				Operation("reportMessage"),
		},
		Migrations: migrations,
		Tables:     []kit.Table{kit.NotExported[row]("the reports of the last day, whose content is in messages")},
	}, nil
}

type request struct {
	ID          message.ID `json:"message_id"`
	Type        string     `json:"report_type"`
	Description string     `json:"description" default:""`
}

// report handles POST /messages/{message_id}/report. It posts the report to the moderation request channel. Errors:
// BadRequest, also for messages that do not exist or that the caller cannot access, and above the limits of
// message.Report.
func (s *service) report(ctx context.Context, a kit.Actor, in request) (kit.None, error) {
	reason, description, err := message.CheckReport(in.Type, in.Description)
	if err != nil {
		return kit.None{}, err
	}
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return kit.None{}, err
	}
	to := v.Channel(channel.ID(v.Realm().Settings.ModerationRequestChannel))
	as, ok := v.SystemActor(user.NotificationBot)
	if to == nil || to.Archived || !ok {
		return kit.None{}, errs.Bad("Message reporting is not enabled in this organization.")
	}
	found, err := s.Messages.Visible(ctx, a, in.ID)
	if err != nil {
		return kit.None{}, err
	}
	if len(found) == 0 {
		return kit.None{}, message.Invalid()
	}
	r := report{reporter: v.User(a.User), reason: reason.Name, description: description, message: found[0]}
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm) // serializes reports, so that all are counted
		if err != nil {
			return err
		}
		one := message.Report{ReporterID: a.User, OwnerID: v.Responsible(a.User), MessageID: in.ID}
		if err := s.count(ctx, a.Realm, one); err != nil {
			return err
		}
		out := message.Outgoing{Channel: to.ID, Topic: r.topic(v, to), Content: r.text(v), Silent: true}
		_, err = s.Sender.Send(ctx, as, out)
		return err
	})
}

// count stores a report, unless it exceeds a limit, and deletes those that no longer count. Errors: BadRequest.
func (s *service) count(ctx context.Context, r realm.ID, one message.Report) error {
	now := s.Clock.Now()
	if err := s.rows.DeleteBefore(ctx, r, now.Add(-message.ReportMemory)); err != nil {
		return err
	}
	near, err := s.rows.Near(ctx, one)
	if err != nil {
		return err
	}
	if err := one.Admit(near); err != nil {
		return err
	}
	return s.rows.Add(ctx, r, one, now)
}

// report holds the content of a report.
type report struct {
	reporter            *user.User
	reason, description string
	message             message.Visible
}

func (r report) topic(v *directory.View, in *channel.Channel) string {
	if in.TopicsPolicy == topic.OnlyEmpty {
		return ""
	}
	name, err := topic.Clean(nameOf(v, r.message.Sender) + " moderation")
	if err != nil {
		return "moderation"
	}
	return name
}

func nameOf(v *directory.View, id user.ID) string {
	if u := v.User(id); u != nil {
		return u.FullName
	}
	return "unknown"
}

func mention(v *directory.View, id user.ID) string {
	return fmt.Sprintf("@_**%s|%d**", nameOf(v, id), id)
}

// text returns the text of the report, truncated to the maximum length of a message.
func (r report) text(v *directory.View) string {
	var b strings.Builder
	kind, header := "a message", "Original message"
	if c := message.ChannelOf(v, r.message.Recipient); c != nil {
		header = originalLink(c, r.message.Topic, r.message.ID)
	} else {
		kind = "a direct message"
	}
	fmt.Fprintf(&b, "%s reported %s sent by %s", mention(v, r.reporter.ID), kind, mention(v, r.message.Sender))
	if others := r.message.Members.Minus(user.Set{r.message.Sender}); len(others) > 0 {
		names := make([]string, 0, len(others))
		for _, u := range others {
			names = append(names, mention(v, u))
		}
		fmt.Fprintf(&b, " to %s", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, " at <time:%s>.\n\n", r.message.SentAt.UTC().Format(time.RFC3339))
	reason := "**" + r.reason + "**."
	if r.description != "" {
		reason += " " + r.description
	}
	b.WriteString(message.Enclose("quote", reason, 4*message.MaxReport) + "\n\n")
	return b.String() + message.Enclose("spoiler "+header, r.message.Content,
		message.MaxLength-utf8.RuneCountInString(b.String()))
}

// originalLink returns a link to the message. Channel and topic names that would break the syntax of the link or of the
// fence that follows appear only in the URL.
func originalLink(c *channel.Channel, name string, id message.ID) string {
	if strings.ContainsAny(c.Name+name, "`*") {
		return fmt.Sprintf("[Original message](%s/near/%d)", c.TopicURL(name), id)
	}
	return fmt.Sprintf("Original message at #**%s>%s@%d**", c.Name, name, id)
}
