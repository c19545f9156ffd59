package bots

import (
	"context"
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// store accesses the module's tables. A bot that was not created by this module has no row until it is changed.
type store struct{ db *bunstore.DB }

type row struct {
	bun.BaseModel    `bun:"table:bots,alias:b"`
	UserID           user.ID `bun:",pk" export:"yes,consent" person:"row"`
	RealmID          realm.ID
	Sends            channel.ID    `export:"yes"`
	Listens          channel.ID    `export:"yes"`
	AllPublic        bool          `export:"yes"`
	Config           string        `bun:"type:text" export:"no"`
	ServiceName      string        `export:"yes"`
	ServiceURL       string        `bun:"service_url" export:"yes"`
	ServiceInterface bot.Interface `export:"yes"`
	ServiceToken     string        `export:"no"`
}

// setup holds the configuration and the endpoint of a bot.
type setup struct {
	config  map[string]string
	service *bot.Service // with an encrypted token; nil: none
}

func (r *row) setup() (setup, error) {
	s := setup{config: map[string]string{}}
	if r.ServiceInterface != 0 {
		s.service = &bot.Service{Name: r.ServiceName, URL: r.ServiceURL, Interface: r.ServiceInterface, Token: r.ServiceToken}
	}
	return s, json.Unmarshal([]byte(r.Config), &s.config)
}

// Load returns the defaults of a realm's bots.
func (s store) Load(ctx context.Context, r realm.ID) (map[user.ID]*bot.Bot, error) {
	var rows []row
	err := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		Column("user_id", "sends", "listens", "all_public").
		Where("realm_id = ?", r).
		Where("sends <> 0 OR listens <> 0 OR all_public").
		Scan(ctx)
	all := make(map[user.ID]*bot.Bot, len(rows))
	for _, row := range rows {
		all[row.UserID] = &bot.Bot{ID: row.UserID, Sends: row.Sends, Listens: row.Listens, AllPublic: row.AllPublic}
	}
	return all, err
}

// Config returns a bot's configuration.
func (s store) Config(ctx context.Context, id user.ID) (map[string]string, error) {
	var rows []row
	err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", id).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	have, err := rows[0].setup()
	return have.config, err
}

// Lock returns a bot's configuration and endpoint, and locks them until the transaction ends.
func (s store) Lock(ctx context.Context, id user.ID) (setup, error) {
	var rows []row
	if err := s.db.ForUpdate(s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", id)).Scan(ctx); err != nil {
		return setup{}, err
	}
	if len(rows) == 0 {
		return setup{config: map[string]string{}}, nil
	}
	return rows[0].setup()
}

// Write stores a bot's defaults, configuration and endpoint.
func (s store) Write(ctx context.Context, r realm.ID, uses bot.Bot, have setup) error {
	config, err := json.Marshal(have.config)
	if err != nil {
		return err
	}
	row := &row{
		UserID:    uses.ID,
		RealmID:   r,
		Sends:     uses.Sends,
		Listens:   uses.Listens,
		AllPublic: uses.AllPublic,
		Config:    string(config),
	}
	if x := have.service; x != nil {
		row.ServiceName, row.ServiceURL, row.ServiceInterface, row.ServiceToken = x.Name, x.URL, x.Interface, x.Token
	}
	_, err = s.db.From(ctx).NewInsert().Model(row).On("CONFLICT (user_id) DO UPDATE").
		Set("sends = EXCLUDED.sends").Set("listens = EXCLUDED.listens").Set("all_public = EXCLUDED.all_public").
		Set("config = EXCLUDED.config").Set("service_name = EXCLUDED.service_name").Set("service_url = EXCLUDED.service_url").
		Set("service_interface = EXCLUDED.service_interface").Set("service_token = EXCLUDED.service_token").Exec(ctx)
	return err
}

// Services returns the endpoints of the given bots of a realm, or of all its bots if ids is nil. Tokens are encrypted.
func (s store) Services(ctx context.Context, r realm.ID, ids []user.ID) (map[user.ID]*bot.Service, error) {
	out := map[user.ID]*bot.Service{}
	if ids != nil && len(ids) == 0 {
		return out, nil
	}
	var rows []row
	q := s.db.From(ctx).
		NewSelect().
		Model(&rows).
		ExcludeColumn("config").
		Where("realm_id = ?", r).
		Where("service_interface <> 0")
	if ids != nil {
		q = q.Where("user_id IN (?)", bun.List(ids))
	}
	err := q.Scan(ctx)
	for _, x := range rows {
		out[x.UserID] = &bot.Service{
			Name:      x.ServiceName,
			URL:       x.ServiceURL,
			Interface: x.ServiceInterface,
			Token:     x.ServiceToken,
		}
	}
	return out, err
}
