// Package subscribing subscribes users to channels and unsubscribes them, and stores each user's settings for a
// subscription. Since subscribing to a missing channel creates it, the package also creates channels.
//
// Active subscriptions are part of the directory view. Rows of ended subscriptions keep the settings. Users who are
// deactivated lose their subscriptions in the view, but the rows stay active for a reactivation.
package subscribing

import (
	"context"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/folders"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	DB        *bunstore.DB
	Work      ports.UnitOfWork
	Log       ports.EventLog
	Directory ports.Directory
	Hooks     ports.Hooks
	Renderer  ports.Renderer
	Clock     ports.Clock
	Announced kit.Query[permission.WaitingPeriod, permission.Announced]
	Folders   *folders.Service
	Limits    Limits
	// Insert stores new channels and sets their IDs. key returns the comparison key of a name. Errors: ChannelExists.
	Insert func(ctx context.Context, r realm.ID, key func(name string) string, cs ...*channel.Channel) error
}

// Limits holds limits from the module's configuration.
type Limits struct {
	WebPublic                                                                             bool // allow web-public channels
	MaxPerRealm, MaxPerAuthor, MaxDaily, MaxChannels, MaxNew, MaxPeople, MaxSubscriptions int
}

// Service creates channels and subscribes and unsubscribes users.
type Service struct {
	Needs
	rows store
}

// New returns the service.
func New(n Needs) *Service { return &Service{n, store{n.DB}} }

// manyNames is the maximum size, in bytes, of request bodies that name thousands of channels or users.
const manyNames = 1 << 20

// Parts returns the contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Doctor: diagnoses(),
		Schemas: []kit.Schema{
			kit.SchemaOf[wantedName]("ChannelName", "The name of a channel.", ""),
			kit.SchemaOf[principals]("Principals", "Users, by ID or by email address.", []user.ID{}, []string{}),
		},
		Endpoints: []kit.Endpoint{
			kit.POST("/users/me/subscriptions", kit.Members, s.subscribe,
				"Subscribes users to channels, creating those that do not exist.").Operation("subscribe").Idempotent().
				MaxBody(manyNames),
			kit.PATCH(
				"/users/me/subscriptions",
				kit.Users,
				s.patch,
				"Subscribes the caller to channels and ends other subscriptions.",
			).Operation("updateSubscriptions"),
			kit.DELETE("/users/me/subscriptions", kit.Users, s.unsubscribe, "Unsubscribes users from channels.").
				Operation("unsubscribe").
				MaxBody(manyNames),
			kit.POST(
				"/users/me/subscriptions/properties",
				kit.Users,
				s.setMany,
				"Changes settings of the caller's subscriptions.",
			).Operation("updateSubscriptionSettings"),
			kit.PATCH(
				"/users/me/subscriptions/:stream_id",
				kit.Users,
				s.setOne,
				"Changes a setting of one of the caller's subscriptions.",
			).Operation("updateSubscriptionSetting"),
			kit.POST("/channels/create", kit.Members, s.create, "Creates a channel.").Operation("createChannel").
				MaxBody(manyNames),
		},
		Tables: []kit.Table{
			kit.Exported[subscriptionRow]("A user's subscription to a channel; active is false if it has ended."),
			kit.NotExported[subscribedRow]("follows from other tables"),
		},
		Hooks: []kit.Hook{kit.On(s.joined).Again(), kit.On(s.deactivated), kit.On(s.reactivated), kit.On(s.imported)},
		Answers: []kit.Answer{
			kit.Answers(s.mutedAmong),
			kit.Answers(s.mutedPlaces),
			kit.Answers(s.keptAmong),
			kit.Answers(s.notificationSettings),
		},
		Directory: []directory.Part{{Name: "subscriptions", Load: s.rows.LoadSubscriptions}},
	}
}

// Settings returns a user's settings for all current and former subscriptions.
func (s *Service) Settings(ctx context.Context, u user.ID) (map[channel.ID]channel.Personal, error) {
	return s.rows.Of(ctx, u)
}

// AsNotified returns the view according to the events sent so far: members whose account age makes them full members
// are not full members until announced. The realm must be locked.
func (s *Service) AsNotified(ctx context.Context, v *directory.View) (*directory.View, error) {
	if permission.Waiting(v) == 0 {
		return v, nil
	}
	announced, _, err := s.Announced.Ask(ctx, permission.WaitingPeriod{View: v})
	return announced.View(v), err
}
