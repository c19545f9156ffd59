package emoji

import (
	"embed"
	"errors"
	"net/http"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/picture"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

//go:embed migrations
var migrations embed.FS

// Module manages custom emoji.
var Module = kit.Define(
	"emoji",
	"Custom emoji of an organization.",
	Config{MaxPerRealm: 5000, MaxPerAuthor: 500},
	wire,
)

// Config limits the number of emoji.
type Config struct {
	// maximum number of emoji per realm, without deactivated ones; a fifth is kept for administrators
	MaxPerRealm int `yaml:"max_per_realm"`
	// maximum number of emoji per author, including deactivated ones; administrators are exempt
	MaxPerAuthor int `yaml:"max_per_author"`
}

// Validate checks the limits.
func (c Config) Validate() error {
	if c.MaxPerRealm < 1 || c.MaxPerRealm > 100000 {
		return errors.New("max_per_realm: want 1 to 100000")
	}
	if c.MaxPerAuthor < 1 {
		return errors.New("max_per_author: want 1 or more")
	}
	return nil
}

type needs struct {
	fx.In
	DB         *bunstore.DB
	Work       ports.UnitOfWork
	Log        ports.EventLog
	Directory  ports.Directory
	Images     ports.Images
	ImageStore ports.ImageStore
	Emoji      ports.Emoji
}

type service struct {
	needs
	cfg  Config
	rows store
}

func wire(cfg Config, n needs) (kit.Parts, error) {
	s := &service{n, cfg, store{n.DB}}
	return kit.Parts{
		Schemas: []kit.Schema{kit.SchemaOf[shown]("Emoji", "A custom emoji.")},
		Endpoints: []kit.Endpoint{
			kit.Mount(emoji.ExtraPrefix, kit.Anyone, http.HandlerFunc(serveExtra), "The image of the built-in extra emoji.").
				Rate(kit.RateFiles),
			kit.GET("/realm/emoji", kit.Users, s.list, "Lists the organization's custom emoji, including deactivated ones.").
				Operation("getEmoji"),
			kit.POST("/realm/emoji/:emoji_name", kit.Members, s.add, "Adds a custom emoji.").Operation("addEmoji").
				Upload(picture.MaxUpload),
			kit.DELETE("/realm/emoji/:emoji_name", kit.Users, s.remove, "Deactivates a custom emoji.").
				Operation("deactivateEmoji"),
		},
		Tables:     []kit.Table{kit.Exported[row]("A custom emoji; source and still are the addresses of its images.")},
		Migrations: migrations,
		Register:   []kit.Section{kit.Register("realm_emoji", s.section).Spectators().Compress("realm_emoji")},
		Events:     []kit.AnyEvent{changedMap.Any(), added.Any(), changedOne.Any()},
		Answers:    []kit.Answer{kit.Answers(s.uploaded)},
		Directory:  []directory.Part{emoji.Shared.Part(s.rows.Load)},
	}, nil
}
