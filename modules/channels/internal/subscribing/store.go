package subscribing

import (
	"context"
	"maps"
	"slices"

	"github.com/uptrace/bun"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

type subscriptionRow struct {
	bun.BaseModel          `bun:"table:subscriptions,alias:s"`
	UserID                 user.ID    `bun:",pk" owner:"user" export:"yes,consent"`
	ChannelID              channel.ID `bun:",pk" export:"yes,channel"`
	RealmID                realm.ID
	Active                 bool   `export:"yes,public"`
	Color                  string `export:"private"`
	IsMuted                bool   `export:"private"`
	PinToTop               bool   `export:"private"`
	DesktopNotifications   *bool  `export:"private"`
	AudibleNotifications   *bool  `export:"private"`
	PushNotifications      *bool  `export:"private"`
	EmailNotifications     *bool  `export:"private"`
	WildcardMentionsNotify *bool  `export:"private"`
}

func (r *subscriptionRow) personal() channel.Personal {
	return channel.Personal{
		Color: r.Color, Muted: r.IsMuted, Pinned: r.PinToTop, Desktop: r.DesktopNotifications,
		Audible: r.AudibleNotifications,
		Push:    r.PushNotifications, Email: r.EmailNotifications, Wildcard: r.WildcardMentionsNotify,
	}
}

func (r *subscriptionRow) set(p channel.Personal) {
	r.Color, r.IsMuted, r.PinToTop = p.Color, p.Muted, p.Pinned
	r.DesktopNotifications, r.AudibleNotifications, r.PushNotifications = p.Desktop, p.Audible, p.Push
	r.EmailNotifications, r.WildcardMentionsNotify = p.Email, p.Wildcard
}

// store stores subscriptions and their settings.
type store struct{ db *bunstore.DB }

// block is the maximum number of rows or IDs in one statement.
const block = 1000

// Of returns a user's settings for all current and former subscriptions.
func (s store) Of(ctx context.Context, u user.ID) (map[channel.ID]channel.Personal, error) {
	var rows []subscriptionRow
	if err := s.db.From(ctx).NewSelect().Model(&rows).Where("user_id = ?", u).Scan(ctx); err != nil {
		return nil, err
	}
	all := make(map[channel.ID]channel.Personal, len(rows))
	for i := range rows {
		all[rows[i].ChannelID] = rows[i].personal()
	}
	return all, nil
}

// Kept returns the users' settings for the given channels, if they are or were subscribed to them, and the colors that
// each user already uses.
func (s store) Kept(
	ctx context.Context,
	us user.Set,
	cs []channel.ID,
) (map[channel.SubscriptionRef]channel.Personal, map[user.ID][]string, error) {
	kept, colors := map[channel.SubscriptionRef]channel.Personal{}, map[user.ID][]string{}
	for some := range slices.Chunk(us, block) {
		var rows []subscriptionRow
		err := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("user_id IN (?)", bun.List(some)).
			Where("channel_id IN (?)", bun.List(cs)).
			Scan(ctx)
		if err != nil {
			return nil, nil, err
		}
		for i := range rows {
			kept[channel.SubscriptionRef{User: rows[i].UserID, Channel: rows[i].ChannelID}] = rows[i].personal()
		}
		var used []struct {
			UserID user.ID
			Color  string
		}
		err = s.db.From(ctx).NewSelect().Model((*subscriptionRow)(nil)).ColumnExpr("DISTINCT user_id, color").
			Where("user_id IN (?)", bun.List(some)).Scan(ctx, &used)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range used {
			colors[c.UserID] = append(colors[c.UserID], c.Color)
		}
	}
	return kept, colors, nil
}

// Join makes subscriptions active and stores their colors. Other settings are stored only in new rows.
func (s store) Join(ctx context.Context, r realm.ID, all map[channel.SubscriptionRef]channel.Personal) error {
	rows := make([]subscriptionRow, 0, len(all))
	for p, settings := range all {
		row := subscriptionRow{UserID: p.User, ChannelID: p.Channel, RealmID: r, Active: true}
		row.set(settings)
		rows = append(rows, row)
	}
	// All transactions write rows in the same order, so that they cannot deadlock.
	slices.SortFunc(rows, func(a, b subscriptionRow) int {
		if a.UserID != b.UserID {
			return int(a.UserID - b.UserID)
		}
		return int(a.ChannelID - b.ChannelID)
	})
	for some := range slices.Chunk(rows, block) {
		_, err := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, channel_id) DO UPDATE").
			Set("active = EXCLUDED.active").Set("color = EXCLUDED.color").Exec(ctx)
		if err != nil {
			return err
		}
	}
	return s.updateLists(ctx, r, slices.Collect(maps.Keys(all)), channel.Set.Union)
}

// Leave ends subscriptions and keeps their settings.
func (s store) Leave(ctx context.Context, r realm.ID, all []channel.SubscriptionRef) error {
	for some := range slices.Chunk(all, block) {
		keys := make([][]any, len(some))
		for i, p := range some {
			keys[i] = []any{p.User, p.Channel}
		}
		_, err := s.db.From(ctx).NewUpdate().Model((*subscriptionRow)(nil)).Set("active = ?", false).
			Where("(user_id, channel_id) IN (?)", bunstore.Tuples(keys)).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return s.updateLists(ctx, r, all, channel.Set.Minus)
}

// Settings returns a user's settings for channels and locks the rows until the transaction ends.
func (s store) Settings(ctx context.Context, u user.ID, cs []channel.ID) (map[channel.ID]channel.Personal, error) {
	all := map[channel.ID]channel.Personal{}
	for some := range slices.Chunk(cs, block) {
		var rows []subscriptionRow
		q := s.db.From(ctx).
			NewSelect().
			Model(&rows).
			Where("user_id = ?", u).
			Where("channel_id IN (?)", bun.List(some)).
			Order("channel_id")
		if err := s.db.ForUpdate(q).Scan(ctx); err != nil {
			return nil, err
		}
		for i := range rows {
			all[rows[i].ChannelID] = rows[i].personal()
		}
	}
	return all, nil
}

// Set stores a user's settings for channels.
func (s store) Set(ctx context.Context, r realm.ID, u user.ID, all map[channel.ID]channel.Personal) error {
	rows := make([]subscriptionRow, 0, len(all))
	for c, p := range all {
		row := subscriptionRow{UserID: u, ChannelID: c, RealmID: r, Active: true}
		row.set(p)
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b subscriptionRow) int { return int(a.ChannelID - b.ChannelID) })
	for some := range slices.Chunk(rows, block) {
		q := s.db.From(ctx).NewInsert().Model(&some).On("CONFLICT (user_id, channel_id) DO UPDATE")
		for _, column := range []string{"color", "is_muted", "pin_to_top", "desktop_notifications", "audible_notifications",
			"push_notifications", "email_notifications", "wildcard_mentions_notify"} {
			q = q.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
		}
		if _, err := q.Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Active returns the channels that a user is subscribed to or, for a deactivated user, was subscribed to.
func (s store) Active(ctx context.Context, u user.ID) ([]channel.ID, error) {
	var all []channel.ID
	err := s.db.From(ctx).NewSelect().Model((*subscriptionRow)(nil)).Column("channel_id").
		Where("user_id = ?", u).Where("active").Order("channel_id").Scan(ctx, &all)
	return all, err
}

// MutedOf filters asked for subscriptions that are active and muted.
func (s store) MutedOf(ctx context.Context, asked []channel.SubscriptionRef) ([]channel.SubscriptionRef, error) {
	return s.of(ctx, asked, "is_muted")
}

// ActiveOf filters asked for subscriptions that are active, or were active when their user was deactivated.
func (s store) ActiveOf(ctx context.Context, asked []channel.SubscriptionRef) ([]channel.SubscriptionRef, error) {
	return s.of(ctx, asked, "active")
}

func (s store) of(ctx context.Context, asked []channel.SubscriptionRef, is string) ([]channel.SubscriptionRef, error) {
	var all []channel.SubscriptionRef
	for some := range slices.Chunk(asked, block) {
		keys := make([][]any, len(some))
		for i, a := range some {
			keys[i] = []any{a.User, a.Channel}
		}
		var rows []subscriptionRow
		err := s.db.From(ctx).NewSelect().Model(&rows).Column("user_id", "channel_id").
			Where("(user_id, channel_id) IN (?)", bunstore.Tuples(keys)).Where("active").Where(is).Scan(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			all = append(all, channel.SubscriptionRef{User: r.UserID, Channel: r.ChannelID})
		}
	}
	return all, nil
}

// Muted returns the channels that a user is subscribed to and has muted. It does not filter by realm, because SQLite
// would then read the subscriptions of the whole realm.
func (s store) Muted(ctx context.Context, u user.ID) ([]channel.ID, error) {
	var all []channel.ID
	err := s.db.From(ctx).NewSelect().Model((*subscriptionRow)(nil)).Column("channel_id").
		Where("user_id = ?", u).Where("active").Where("is_muted").Scan(ctx, &all)
	return all, err
}
