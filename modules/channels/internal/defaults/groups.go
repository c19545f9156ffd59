// Package defaults manages default channels, to which new users are subscribed, and default channel groups, which new
// users may choose.
//
// Whether a channel is a default channel is part of its record. Groups are read from the database on request. Guests
// see neither. A channel that becomes private or a default channel is removed from its groups, since groups contain
// only channels that every member can join and that are not defaults.
package defaults

import (
	"context"
	"slices"
	"strings"

	"github.com/stoachat/stoa/adapters/bunstore"
	"github.com/stoachat/stoa/domain/audit"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	DB          *bunstore.DB
	Work        ports.UnitOfWork
	Log         ports.EventLog
	Audit       ports.Audit
	Directory   ports.Directory
	MaxChannels int // maximum number of channels named in one request
}

// Service serves default channel groups.
type Service struct {
	Needs
	rows store
}

// New returns the service.
func New(n Needs) *Service { return &Service{n, store{n.DB}} }

// Parts returns the contributions to the module.
func (s *Service) Parts() kit.Parts {
	return kit.Parts{
		Endpoints: []kit.Endpoint{
			kit.POST("/default_stream_groups/create", kit.Admins, s.create,
				"Creates a default channel group, which new users may choose.").
				Operation("createDefaultChannelGroup"),
			kit.PATCH("/default_stream_groups/:group_id", kit.Admins, s.update,
				"Changes a default channel group's name or description.").Operation("updateDefaultChannelGroup"),
			kit.DELETE("/default_stream_groups/:group_id", kit.Admins, s.delete, "Deletes a default channel group.").
				Operation("deleteDefaultChannelGroup"),
			kit.PATCH("/default_stream_groups/:group_id/streams", kit.Admins, s.changeChannels,
				"Adds channels to a default channel group or removes them.").
				Operation("updateDefaultChannelGroupChannels"),
		},
		Tables: []kit.Table{
			kit.Exported[bundleRow]("A default channel group."),
			kit.Exported[bundleMemberRow]("A channel of a default channel group."),
		},
		Register: []kit.Section{
			kit.Register("default_streams", s.channels),
			kit.Register("default_stream_groups", s.groups),
		},
		Events: []kit.AnyEvent{defaultStreams.Any(), groupsChanged.Any()},
	}
}

// channelsEvent lists all default channels.
type channelsEvent struct {
	IDs []channel.ID `json:"default_streams"`
}

type groupsEvent struct {
	Groups []channel.Bundle `json:"default_stream_groups"`
}

var (
	defaultStreams = kit.Event[channelsEvent]("default_streams", "")
	groupsChanged  = kit.Event[groupsEvent]("default_stream_groups", "")
)

// Channels returns the channels to which new users are subscribed, by ID.
func Channels(v *directory.View) []channel.ID {
	all := []channel.ID{}
	for c := range v.Channels() {
		if c.Default && !c.Archived {
			all = append(all, c.ID)
		}
	}
	return all
}

// Changed returns the event for a change of the default channels.
func Changed(r realm.ID, after *directory.View) event.Event {
	return defaultStreams.To(r, event.NonGuests(), channelsEvent{Channels(after)})
}

// RoleChanged notifies users who have become or ceased to be guests, who see neither default channels nor groups.
func (s *Service) RoleChanged(
	ctx context.Context,
	r realm.ID,
	after *directory.View,
	c *directory.Swap[user.User],
) error {
	if c == nil || c.Old == nil || c.New == nil || !c.Old.Active || !c.New.Active || c.Old.IsGuest() == c.New.IsGuest() {
		return nil
	}
	to, p := event.To(c.New.ID), channelsEvent{[]channel.ID{}}
	if c.New.IsGuest() {
		return s.Log.Append(ctx, defaultStreams.To(r, to, p), groupsChanged.To(r, to, groupsEvent{[]channel.Bundle{}}))
	}
	p.IDs = Channels(after)
	if err := s.Log.Append(ctx, defaultStreams.To(r, to, p)); err != nil {
		return err
	}
	return s.notify(ctx, r, to)
}

type channelsSection struct {
	IDs []channel.ID `json:"realm_default_streams"`
}

func (s *Service) channels(ctx context.Context, a kit.Actor, _ event.Client) (channelsSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return channelsSection{}, err
	}
	if u := v.User(a.User); u == nil || u.IsGuest() {
		return channelsSection{[]channel.ID{}}, nil
	}
	return channelsSection{Channels(v)}, nil
}

type groupsSection struct {
	Groups []channel.Bundle `json:"realm_default_stream_groups"`
}

func (s *Service) groups(ctx context.Context, a kit.Actor, _ event.Client) (groupsSection, error) {
	v, err := s.Directory.View(ctx, a.Realm)
	if err != nil {
		return groupsSection{}, err
	}
	if u := v.User(a.User); u == nil || u.IsGuest() {
		return groupsSection{[]channel.Bundle{}}, nil
	}
	all, err := s.rows.Groups(ctx, a.Realm)
	return groupsSection{append([]channel.Bundle{}, all...)}, err
}

// notify sends all groups to the users in to.
func (s *Service) notify(ctx context.Context, r realm.ID, to event.Audience) error {
	all, err := s.rows.Groups(ctx, r)
	if err != nil {
		return err
	}
	return s.Log.Append(ctx, groupsChanged.To(r, to, groupsEvent{append([]channel.Bundle{}, all...)}))
}

// Unbundle removes a changed channel from all groups if groups can no longer contain it.
func (s *Service) Unbundle(ctx context.Context, r realm.ID, now *channel.Channel) error {
	if !now.Archived && channel.CheckBundled(now) == nil {
		return nil
	}
	was, err := s.rows.Unbundle(ctx, r, now.ID)
	if err != nil || !was {
		return err
	}
	return s.notify(ctx, r, event.NonGuests())
}

type createReq struct {
	Name        string   `json:"group_name"`
	Description string   `json:"description"`
	Names       []string `json:"stream_names"`
}

// create handles POST /default_stream_groups/create. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) create(ctx context.Context, a kit.Actor, in createReq) (kit.None, error) {
	name, err := channel.CheckBundleName(in.Name)
	if err != nil {
		return kit.None{}, err
	}
	text, err := channel.CheckBundleDescription(in.Description)
	if err != nil {
		return kit.None{}, err
	}
	return kit.None{}, s.changeAll(ctx, a, func(ctx context.Context, v *directory.View, all []channel.Bundle) error {
		b := channel.Bundle{Name: name, Description: text, Channels: channel.Set{}}
		if err := channel.CheckBundles(all, &b, v.NameKey); err != nil {
			return err
		}
		if err := channel.AdmitBundle(len(all), permission.Role(v, a)); err != nil {
			return err
		}
		if err := s.eachNamed(v, a, in.Names, b.Add); err != nil {
			return err
		}
		if err := s.rows.Save(ctx, a.Realm, &b, nil); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Changed(a.Realm, audit.BundleCreated, audit.To(audit.Bundle, b.ID), nil, b))
	})
}

type updateReq struct {
	ID          channel.BundleID `json:"group_id"`
	Name        *string          `json:"new_group_name"`
	Description *string          `json:"new_description"`
}

// update handles PATCH /default_stream_groups/{group_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	if in.Name == nil && in.Description == nil {
		return kit.None{}, errs.Bad(`You must pass "new_description" or "new_group_name".`)
	}
	return kit.None{}, s.changeOne(
		ctx,
		a,
		in.ID,
		func(v *directory.View, all []channel.Bundle, b *channel.Bundle) (err error) {
			if in.Name != nil && strings.TrimSpace(*in.Name) != b.Name { // names that predate the rules can be kept
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

type changeChannelsReq struct {
	ID    channel.BundleID `json:"group_id"`
	Op    string           `json:"op" enum:"add,remove"`
	Names []string         `json:"stream_names"`
}

// changeChannels handles PATCH /default_stream_groups/{group_id}/streams. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) changeChannels(ctx context.Context, a kit.Actor, in changeChannelsReq) (kit.None, error) {
	if in.Op != "add" && in.Op != "remove" {
		return kit.None{}, errs.Bad(`Invalid value for "op". Specify one of "add" or "remove".`)
	}
	return kit.None{}, s.changeOne(ctx, a, in.ID, func(v *directory.View, _ []channel.Bundle, b *channel.Bundle) error {
		if in.Op == "add" {
			return s.eachNamed(v, a, in.Names, b.Add)
		}
		return s.eachNamed(v, a, in.Names, b.Remove)
	})
}

type groupReq struct {
	ID channel.BundleID `json:"group_id"`
}

// delete handles DELETE /default_stream_groups/{group_id}. Errors: BadRequest, UnauthorizedPrincipal.
func (s *Service) delete(ctx context.Context, a kit.Actor, in groupReq) (kit.None, error) {
	return kit.None{}, s.changeAll(ctx, a, func(ctx context.Context, _ *directory.View, all []channel.Bundle) error {
		i := slices.IndexFunc(all, func(b channel.Bundle) bool { return b.ID == in.ID })
		if i < 0 {
			return errNoGroup(in.ID)
		}
		if err := s.rows.Delete(ctx, a.Realm, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Changed(a.Realm, audit.BundleDeleted, audit.To(audit.Bundle, in.ID), all[i], nil))
	})
}

func errNoGroup(id channel.BundleID) error {
	return errs.Bad("Default channel group with id '%d' does not exist.", id)
}

// changeAll calls change with all groups in a transaction and then notifies users. It checks the caller's role again,
// in the current view.
func (s *Service) changeAll(
	ctx context.Context,
	a kit.Actor,
	change func(context.Context, *directory.View, []channel.Bundle) error,
) error {
	return s.Work.Do(ctx, func(ctx context.Context) error {
		v, err := s.Directory.View(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, a, user.Admin); err != nil {
			return err
		}
		all, err := s.rows.Groups(ctx, a.Realm)
		if err != nil {
			return err
		}
		if err := change(ctx, v, all); err != nil {
			return err
		}
		return s.notify(ctx, a.Realm, event.NonGuests())
	})
}

// changeOne calls change with a copy of one group and stores the copy.
func (s *Service) changeOne(
	ctx context.Context,
	a kit.Actor,
	id channel.BundleID,
	change func(*directory.View, []channel.Bundle, *channel.Bundle) error,
) error {
	return s.changeAll(ctx, a, func(ctx context.Context, v *directory.View, all []channel.Bundle) error {
		i := slices.IndexFunc(all, func(b channel.Bundle) bool { return b.ID == id })
		if i < 0 {
			return errNoGroup(id)
		}
		now := all[i]
		if err := change(v, all, &now); err != nil {
			return err
		}
		if err := s.rows.Save(ctx, a.Realm, &now, all[i].Channels); err != nil {
			return err
		}
		return s.Audit.Record(ctx, audit.Changed(a.Realm, audit.BundleChanged, audit.To(audit.Bundle, id), all[i], now))
	})
}

// eachNamed calls do for each of the named channels. Errors: BadRequest, also if a cannot see a channel or it is
// archived.
func (s *Service) eachNamed(v *directory.View, a user.Actor, names []string, do func(*channel.Channel) error) error {
	if len(names) > s.MaxChannels {
		return errs.Bad("Too many channels in one request (limit: %d).", s.MaxChannels)
	}
	for _, name := range names {
		c := v.ChannelByName(name)
		if !access.Sees(v, c, a) || c.Archived {
			return errs.Bad("Invalid channel name '%s'", name)
		}
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}
