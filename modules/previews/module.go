package previews

import (
	"context"
	"embed"
	"errors"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Module shows previews of linked pages.
var Module = kit.Define("previews", "Shows previews of linked web pages in messages, if the realm enables them.",
	Config{Lifetime: 7 * 24 * time.Hour, Retry: time.Hour, MaxPages: 100_000, Concurrency: 8}, wire)

// Config is the configuration of the module.
type Config struct {
	Lifetime    time.Duration `yaml:"life"`      // how long a cached page is used for new messages
	Retry       time.Duration `yaml:"retry"`     // how long to wait before a page without a preview is read again
	MaxPages    int           `yaml:"max_pages"` // maximum number of cached pages
	Concurrency int           `yaml:"at_once"`   // maximum number of pages read concurrently by one node
}

// Validate checks the configuration.
func (c Config) Validate() error {
	switch {
	case c.Lifetime <= 0:
		return errors.New("life: want a time above 0")
	case c.Retry <= 0:
		return errors.New("retry: want a time above 0")
	case c.MaxPages < 1:
		return errors.New("max_pages: want a whole number from 1")
	case c.Concurrency < 1 || c.Concurrency > 100:
		return errors.New("at_once: want a whole number from 1 to 100")
	}
	return nil
}

//go:embed migrations
var migrations embed.FS

type needs struct {
	fx.In
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Directory ports.Directory
	Clock     ports.Clock
	Node      ports.Node
	Pages     ports.Pages
	Messages  ports.Rerenderer
}

type service struct {
	needs
	cfg     Config
	store   store
	backlog kit.Backlog
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{needs: n, cfg: cfg, store: store{n.DB}, backlog: kit.Backlog{Earliest: earliest}}
	return kit.Parts{
		Tables: []kit.Table{
			kit.NotExported[queued]("pages on the web can be read again"),
			kit.NotExported[page]("pages on the web can be read again"),
		},
		Leases:     []kit.Lease{{Table: "preview_queue", Column: "holder", Due: "due_at"}},
		Migrations: migrations,
		Answers:    []kit.Answer{kit.Answers(s.embeds), kit.Answers(describeRealm)},
		Hooks: []kit.Hook{
			kit.On(s.sent), kit.On(s.edited), kit.On(s.missed), kit.On(s.deleted).AgainAmong(s.store.Queued),
		},
		Jobs: []kit.Job{
			{Name: "read", Every: 2 * time.Second, Backlog: &s.backlog, Timeout: retry, Everywhere: true, Run: s.read},
			{Name: "forget", Every: time.Hour, Timeout: 10 * time.Minute, Run: s.trim},
		},
	}, nil
}

// describeRealm answers realm.Description: the server supports previews.
func describeRealm(_ context.Context, q realm.Description) (map[string]any, error) {
	const key = "server_inline_url_embed_preview"
	if !q.Asks(key) {
		return nil, nil
	}
	return map[string]any{key: true}, nil
}
