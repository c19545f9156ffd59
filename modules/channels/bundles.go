package channels

import (
	"context"
	"slices"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Default channel groups are rows, read when they are asked for. Guests know of none. What is in one is open to
// everybody else: private channels and default channels leave the groups that they are in.

type bundlesEvent struct {
	Groups []channel.Bundle `json:"default_stream_groups"`
}

var bundlesChanged = kit.Event[bundlesEvent]("default_stream_groups", "")

type bundlesSection struct {
	Groups []channel.Bundle `json:"realm_default_stream_groups"`
}

func (s *service) bundlesSection(ctx context.Context, a kit.Actor, _ event.Client) (bundlesSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return bundlesSection{}, err
	}
	if u := v.User(a.User); u == nil || u.IsGuest() {
		return bundlesSection{[]channel.Bundle{}}, nil
	}
	all, err := s.rows.Bundles(ctx, a.Realm)
	return bundlesSection{append([]channel.Bundle{}, all...)}, err
}

// tellBundles tells of all groups, as they are now.
func (s *service) tellBundles(ctx context.Context, r realm.ID, to event.Audience) error {
	all, err := s.rows.Bundles(ctx, r)
	if err != nil {
		return err
	}
	return s.Log.Append(ctx, bundlesChanged.To(r, to, bundlesEvent{append([]channel.Bundle{}, all...)}))
}

// unbundle takes a channel that may no longer be in a default channel group out of all of them.
func (s *service) unbundle(ctx context.Context, r realm.ID, now *channel.Channel) error {
	if !now.Archived && channel.Bundled(now) == nil {
		return nil
	}
	was, err := s.rows.Unbundle(ctx, r, now.ID)
	if err != nil || !was {
		return err
	}
	return s.tellBundles(ctx, r, event.NonGuests())
}

type createBundleReq struct {
	Name        string   `json:"group_name"`
	Description string   `json:"description"`
	Names       []string `json:"stream_names"`
}

// createBundle is POST /default_stream_groups/create. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) createBundle(ctx context.Context, a kit.Actor, in createBundleReq) (kit.None, error) {
	name, err := channel.CheckBundleName(in.Name)
	if err != nil {
		return kit.None{}, err
	}
	text, err := channel.CheckBundleDescription(in.Description)
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.changeBundles(ctx, a, func(ctx context.Context, v *directory.View, all []channel.Bundle) error {
		b := channel.Bundle{Name: name, Description: text, Channels: channel.Set{}}
		if err := channel.CheckBundles(all, &b, v.NameKey); err != nil {
			return err
		}
		if err := s.eachNamed(v, a, in.Names, b.Add); err != nil {
			return err
		}
		return s.rows.SaveBundle(ctx, a.Realm, &b, nil)
	})
}

type updateBundleReq struct {
	ID          channel.BundleID `json:"group_id"`
	Name        *string          `json:"new_group_name"`
	Description *string          `json:"new_description"`
}

// updateBundle is PATCH /default_stream_groups/{group_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) updateBundle(ctx context.Context, a kit.Actor, in updateBundleReq) (kit.None, error) {
	if in.Name == nil && in.Description == nil {
		return kit.None{}, errs.Bad(`You must pass "new_description" or "new_group_name".`)
	}
	return kit.None{}, s.changeBundle(
		ctx,
		a,
		in.ID,
		func(v *directory.View, all []channel.Bundle, b *channel.Bundle) (err error) {
			if in.Name != nil && strings.TrimSpace(*in.Name) != b.Name { // it may keep one that is older than the rules
				if b.Name, err = channel.CheckBundleName(*in.Name); err != nil {
					return err
				}
			}
			if in.Description != nil {
				if b.Description, err = channel.CheckBundleDescription(*in.Description); err != nil {
					return err
				}
			}
			return channel.CheckBundles(all, b, v.NameKey)
		},
	)
}

type changeBundleReq struct {
	ID    channel.BundleID `json:"group_id"`
	Op    string           `json:"op"`
	Names []string         `json:"stream_names"`
}

// fillBundle is PATCH /default_stream_groups/{group_id}/streams. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) fillBundle(ctx context.Context, a kit.Actor, in changeBundleReq) (kit.None, error) {
	if in.Op != "add" && in.Op != "remove" {
		return kit.None{}, errs.Bad(`Invalid value for "op". Specify one of "add" or "remove".`)
	}
	return kit.None{}, s.changeBundle(ctx, a, in.ID, func(v *directory.View, _ []channel.Bundle, b *channel.Bundle) error {
		if in.Op == "add" {
			return s.eachNamed(v, a, in.Names, b.Add)
		}
		return s.eachNamed(v, a, in.Names, b.Remove)
	})
}

type bundleReq struct {
	ID channel.BundleID `json:"group_id"`
}

// deleteBundle is DELETE /default_stream_groups/{group_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *service) deleteBundle(ctx context.Context, a kit.Actor, in bundleReq) (kit.None, error) {
	return kit.None{}, s.changeBundles(ctx, a, func(ctx context.Context, _ *directory.View, all []channel.Bundle) error {
		if !slices.ContainsFunc(all, func(b channel.Bundle) bool { return b.ID == in.ID }) {
			return errNoBundle(in.ID)
		}
		return s.rows.DeleteBundle(ctx, a.Realm, in.ID)
	})
}

func errNoBundle(id channel.BundleID) error {
	return errs.Bad("Default channel group with id '%d' does not exist.", id)
}

// changeBundles makes a change of the groups, in the realm's order, and tells of it. The role is asked for again, as it
// is now.
func (s *service) changeBundles(
	ctx context.Context,
	a kit.Actor,
	change func(context.Context, *directory.View, []channel.Bundle) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if !admin(v, a) {
			return errs.New(errs.UnauthorizedPrincipal, "Must be an organization administrator")
		}
		all, err := s.rows.Bundles(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := change(ctx, v, all); err != nil {
			return err
		}
		return s.tellBundles(ctx, a.Realm, event.NonGuests())
	})
}

// changeBundle changes one group.
func (s *service) changeBundle(
	ctx context.Context,
	a kit.Actor,
	id channel.BundleID,
	change func(*directory.View, []channel.Bundle, *channel.Bundle) error,
) error {
	return s.changeBundles(ctx, a, func(ctx context.Context, v *directory.View, all []channel.Bundle) error {
		i := slices.IndexFunc(all, func(b channel.Bundle) bool { return b.ID == id })
		if i < 0 {
			return errNoBundle(id)
		}
		now := all[i]
		if err := change(v, all, &now); err != nil {
			return err
		}
		return s.rows.SaveBundle(ctx, a.Realm, &now, all[i].Channels)
	})
}

// eachNamed does something with each of the channels named, which a may know of and which are not archived. Errors:
// BadRequest.
func (s *service) eachNamed(v *directory.View, a user.Actor, names []string, do func(*channel.Channel) error) error {
	if len(names) > s.cfg.MaxChannels {
		return errs.Bad("Too many channels in one request (limit: %d).", s.cfg.MaxChannels)
	}
	for _, name := range names {
		c := v.ChannelByName(name)
		if !knows(v, c, a) || c.Archived {
			return errs.Bad("Invalid channel name '%s'", name)
		}
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}
