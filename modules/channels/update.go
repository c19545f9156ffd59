package channels

import (
	"context"
	"maps"
	"strings"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
	"github.com/stoachat/stoa/modules/channels/internal/subscribing"
	"github.com/stoachat/stoa/modules/kit"
)

// updateReq holds the requested changes.
type updateReq struct {
	ID            channel.ID                     `json:"stream_id"`
	Name          *string                        `json:"new_name"`
	Description   *string                        `json:"description"`
	Private       *bool                          `json:"is_private"`
	WebPublic     *bool                          `json:"is_web_public"`
	HistoryPublic *bool                          `json:"history_public_to_subscribers"`
	Default       *bool                          `json:"is_default_stream"`
	Retention     *string                        `json:"message_retention_days" forms:"integer | string"`
	Archived      *bool                          `json:"is_archived"`
	Folder        kit.Nullable[channel.FolderID] `json:"folder_id"`
	TopicsPolicy  *string                        `json:"topics_policy" enum:"topics_policy"`

	CanAddSubscribers *group.Update `json:"can_add_subscribers_group"`
	CanAdminister     *group.Update `json:"can_administer_channel_group"`
	CanCreateTopic    *group.Update `json:"can_create_topic_group"`
	CanDeleteAny      *group.Update `json:"can_delete_any_message_group"`
	CanDeleteOwn      *group.Update `json:"can_delete_own_message_group"`
	CanMoveOut        *group.Update `json:"can_move_messages_out_of_channel_group"`
	CanMoveWithin     *group.Update `json:"can_move_messages_within_channel_group"`
	CanRemove         *group.Update `json:"can_remove_subscribers_group"`
	CanResolve        *group.Update `json:"can_resolve_topics_group"`
	CanSend           *group.Update `json:"can_send_message_group"`
	CanSubscribe      *group.Update `json:"can_subscribe_group"`
}

func (in updateReq) permissions() map[string]*group.Update {
	return map[string]*group.Update{
		"can_add_subscribers_group":              in.CanAddSubscribers,
		"can_administer_channel_group":           in.CanAdminister,
		"can_create_topic_group":                 in.CanCreateTopic,
		"can_delete_any_message_group":           in.CanDeleteAny,
		"can_delete_own_message_group":           in.CanDeleteOwn,
		"can_move_messages_out_of_channel_group": in.CanMoveOut,
		"can_move_messages_within_channel_group": in.CanMoveWithin,
		"can_remove_subscribers_group":           in.CanRemove,
		"can_resolve_topics_group":               in.CanResolve,
		"can_send_message_group":                 in.CanSend,
		"can_subscribe_group":                    in.CanSubscribe,
	}
}

func (s *service) update(ctx context.Context, a kit.Actor, in updateReq) (kit.None, error) {
	return kit.None{}, s.Work.Do(ctx, func(ctx context.Context) error {
		v, old, err := s.administered(ctx, a, in.ID)
		if err != nil {
			return err
		}
		now, err := s.changed(ctx, v, a, old, in)
		if err != nil {
			return err
		}
		return s.change(ctx, v, a, old, now)
	})
}

// administered returns a channel that a may change. Errors: CannotAdminister if a can only read the channel, otherwise
// BadRequest.
func (s *service) administered(
	ctx context.Context,
	a kit.Actor,
	id channel.ID,
) (*directory.View, *channel.Channel, error) {
	v, c, err := s.visibleChannel(ctx, a, id)
	switch {
	case err != nil:
		return nil, nil, err
	case access.Administers(v, c, a):
		return v, c, nil
	case access.Reads(v, c, a):
		return nil, nil, errs.New(errs.CannotAdminister, "You do not have permission to administer this channel.")
	}
	return nil, nil, channel.Invalid()
}

// changed checks the requested changes and returns the channel with the changes applied.
func (s *service) changed(
	ctx context.Context,
	v *directory.View,
	a user.Actor,
	old *channel.Channel,
	in updateReq,
) (*channel.Channel, error) {
	now := *old
	now.Permissions = maps.Clone(old.Permissions)
	for _, step := range []func() error{
		func() error { return s.changeTexts(ctx, v, &now, in) },
		func() error { return s.changePrivacy(v, a, &now, in) },
		func() error { return s.changeFolder(ctx, a, &now, in) },
		func() error { return changePolicies(v, a, &now, in) },
		func() error { return changePermissions(v, a, &now, in) },
		now.CheckHistory,
		func() error { return s.changeArchived(v, a, &now, in) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &now, nil
}

func (s *service) changeTexts(ctx context.Context, v *directory.View, now *channel.Channel, in updateReq) error {
	if in.Name != nil {
		if strings.TrimSpace(*in.Name) == now.Name {
			return errs.Bad("Channel already has that name.")
		}
		name, err := channel.CheckName(*in.Name)
		if err != nil {
			return err
		}
		if c := v.ChannelByName(name); c != nil && c.ID != now.ID {
			return access.ErrNameInUse(name)
		}
		now.Name = name
	}
	if in.Description == nil {
		return nil
	}
	text, err := channel.CheckDescription(*in.Description)
	if err != nil || text == now.Description {
		return err
	}
	now.Description = text
	now.Rendered, err = s.subscribing.Render(ctx, v, text)
	return err
}

func (s *service) changePrivacy(v *directory.View, a user.Actor, now *channel.Channel, in updateReq) error {
	if in.Private == nil && in.WebPublic == nil && in.HistoryPublic == nil {
		return nil
	}
	private, web, history := now.Private, now.WebPublic, in.HistoryPublic
	if in.Private != nil {
		private = *in.Private
	}
	if in.WebPublic != nil {
		web = *in.WebPublic
	}
	if history == nil && in.Private == nil {
		history = &now.HistoryPublic
	}
	p, err := channel.NewPrivacy(private, web, history)
	if err != nil {
		return err
	}
	if p == now.Privacy() {
		return nil
	}
	if !access.Reads(v, now, a) {
		return channel.Invalid()
	}
	if p.Private != now.Private || p.WebPublic != now.WebPublic {
		if err := access.CheckPrivacy(v, a, p, s.cfg.WebPublic); err != nil {
			return err
		}
	}
	if p.Private != now.Private && int64(now.ID) == moderation(v) && !p.Private {
		return errs.Bad("Moderation request channel must be private.")
	}
	now.Private, now.WebPublic, now.HistoryPublic = p.Private, p.WebPublic, p.HistoryPublic
	if p.Private && now.Default && (in.Default == nil || *in.Default) {
		return errs.Bad("A default channel cannot be private.")
	}
	return nil
}

// moderation returns the ID of the moderation request channel, or -1.
func moderation(v *directory.View) int64 {
	if v.Realm() == nil {
		return -1
	}
	return v.Realm().Settings.ModerationRequestChannel
}

func (s *service) changeFolder(ctx context.Context, a user.Actor, now *channel.Channel, in updateReq) error {
	switch {
	case !in.Folder.Given:
		return nil
	case in.Folder.Null:
		now.Folder = 0
		return nil
	case in.Folder.Value == now.Folder && now.Folder != 0:
		return nil
	}
	now.Folder = in.Folder.Value
	return s.folders.Check(ctx, a.Realm, now.Folder)
}

func changePolicies(v *directory.View, a user.Actor, now *channel.Channel, in updateReq) error {
	if in.Default != nil && *in.Default != now.Default {
		if permission.Role(v, a) > user.Admin {
			return access.ErrInsufficient()
		}
		switch {
		case *in.Default && now.Private:
			return errs.Bad("A default channel cannot be private.")
		// unless the request also unarchives the channel
		case *in.Default && now.Archived && (in.Archived == nil || *in.Archived):
			return errs.Bad("An archived channel cannot be a default channel.")
		}
		now.Default = *in.Default
	}
	if text := subscribing.Unquoted(in.Retention); text != nil {
		days, err := channel.ParseRetention(*text)
		if err != nil {
			return err
		}
		if err := permission.CheckRole(v, a, user.Owner); err != nil {
			return err
		}
		now.RetentionDays = days
	}
	text := subscribing.Unquoted(in.TopicsPolicy)
	if text == nil {
		return nil
	}
	policy, err := channel.ParseTopicsPolicy(*text)
	if err != nil || policy == now.TopicsPolicy {
		return err
	}
	if err := access.CheckTopicsPolicy(v, a); err != nil {
		return err
	}
	now.TopicsPolicy = policy
	return nil
}

func changePermissions(v *directory.View, a user.Actor, now *channel.Channel, in updateReq) error {
	wanted := in.permissions()
	for _, r := range permission.Settings(group.OfStream) {
		up, present := wanted[r.Name], now.Permissions[r.Name]
		if up == nil {
			continue
		}
		if err := permission.CheckUpdate(v, group.OfStream, r.Name, present, *up); err != nil {
			return err
		}
		if up.New.Equal(present) {
			continue
		}
		if access.Deletes(r.Name) {
			if err := access.CheckDeletePolicy(v, a); err != nil {
				return err
			}
		}
		if (r.Name == "can_add_subscribers_group" || r.Name == "can_subscribe_group") && !access.Reads(v, now, a) {
			return access.ErrInsufficient() // these settings grant content access
		}
		now.Permissions[r.Name] = up.New.Normal()
	}
	return nil
}

func (s *service) changeArchived(v *directory.View, a user.Actor, now *channel.Channel, in updateReq) error {
	if in.Archived == nil || *in.Archived {
		return nil
	}
	switch {
	case !now.Archived:
		return errs.Bad("Channel is not currently archived.")
	case now.Private && len(v.Subscribers(now.ID)) == 0:
		return errs.Bad("Channel is private and has no subscribers.")
	}
	if err := s.subscribing.AdmitUnarchived(v, a); err != nil {
		return err
	}
	now.Archived = false
	if err := permission.CheckNamed(v, group.OfStream, now.Permissions); err != nil {
		return err
	}
	return permission.CheckNamedIn(v, now.ID)
}
