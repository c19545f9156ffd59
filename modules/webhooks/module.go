package webhooks

import (
	"context"
	"embed"
	"slices"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module receives incoming webhooks.
var Module = kit.Define("webhooks", "Turns webhooks from services such as GitHub into messages.", Config{}, wire)

// Config has no settings.
type Config struct{}

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Sender    ports.Sender
	Clock     ports.Clock
	Metrics   *ports.Metrics

	Config kit.Query[bot.ConfigOf, map[string]string]
}

type service struct {
	needs
	store        store
	integrations []format.Integration
	received     *ports.Counter
}

// maxBody is the maximum size of a payload in bytes. Pushes with many commits are the largest.
const maxBody = 2 << 20

func wire(_ Config, n needs) (kit.Parts, error) {
	all, err := format.Load()
	if err != nil {
		return kit.Parts{}, err
	}
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.Name
	}
	s := &service{n, store{n.DB}, all, n.Metrics.Counter(ports.Instrument{
		Name: "stoa_webhooks_received_total", Labels: []ports.Label{{Name: "service", Values: names}, ports.Outcomes()},
		Help: "Webhooks received from other services.",
	})}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[entry]("Integration", "An integration for incoming webhook bots.")},
		Endpoints: []kit.Endpoint{
			kit.POST("/external/:integration", kit.Users, s.receive, "Turns a webhook from a service into a message.").
				Operation("receiveWebhook").
				AcceptKey("api_key").Webhooks().MaxBody(maxBody),
			kit.GET("/external/:integration", kit.Anyone, s.check, "Lets a service check the URL of a webhook.").
				Operation("checkWebhook"),
		},
		Tables:     []kit.Table{kit.NotExported[notice]("times at which owners of bots were last notified")},
		Migrations: migrations,
		Guides:     guides(all),
		Register: []kit.Section{kit.Register("realm_incoming_webhook_bots", s.section).
			Compress("realm_incoming_webhook_bots")},
	}, nil
}

type option struct {
	Key       string `json:"key"`
	Label     string `json:"label"`
	Validator string `json:"validator"`
}

type entry struct {
	Name    string    `json:"name"`
	Display string    `json:"display_name"`
	Events  *[]string `json:"all_event_types"` // null if the integration has no event names
	Config  []option  `json:"config_options"`
	URL     []option  `json:"url_options"`
}

type section struct {
	All []entry `json:"realm_incoming_webhook_bots"`
}

func (s *service) section(context.Context, kit.Actor, event.Client) (section, error) {
	out := section{make([]entry, len(s.integrations))}
	for i, integration := range s.integrations {
		events := slices.Clone(integration.Events)
		e := entry{
			Name:    integration.Name,
			Display: integration.Display,
			Events:  &events,
			Config:  []option{},
			URL:     []option{},
		}
		for _, o := range integration.Config {
			e.Config = append(e.Config, option(o))
		}
		for _, o := range integration.Options {
			e.URL = append(e.URL, option(o))
		}
		if integration.Verify != nil {
			e.URL = append(e.URL, option{"webhook_secret", "Secret with which the service signs requests", "check_string"})
		}
		out.All[i] = e
	}
	return out, nil
}
