package subscribing

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/access"
)

// creation holds the parameters of new channels. They have no effect on existing channels.
type creation struct {
	Announce      bool              `json:"announce" default:"false"`
	Private       bool              `json:"invite_only" default:"false"`
	WebPublic     bool              `json:"is_web_public" default:"false"`
	Default       bool              `json:"is_default_stream" default:"false"`
	HistoryPublic *bool             `json:"history_public_to_subscribers"`
	Retention     *string           `json:"message_retention_days" forms:"integer | string"`
	TopicsPolicy  *string           `json:"topics_policy" enum:"topics_policy" lenient:"true"`
	Folder        *channel.FolderID `json:"folder_id"`
	Tell          bool              `json:"send_new_subscription_messages" default:"true"`

	CanAddSubscribers *group.Setting `json:"can_add_subscribers_group"`
	CanAdminister     *group.Setting `json:"can_administer_channel_group"`
	CanCreateTopic    *group.Setting `json:"can_create_topic_group"`
	CanDeleteAny      *group.Setting `json:"can_delete_any_message_group"`
	CanDeleteOwn      *group.Setting `json:"can_delete_own_message_group"`
	CanMoveOut        *group.Setting `json:"can_move_messages_out_of_channel_group"`
	CanMoveWithin     *group.Setting `json:"can_move_messages_within_channel_group"`
	CanRemove         *group.Setting `json:"can_remove_subscribers_group"`
	CanResolve        *group.Setting `json:"can_resolve_topics_group"`
	CanSend           *group.Setting `json:"can_send_message_group"`
	CanSubscribe      *group.Setting `json:"can_subscribe_group"`
}

// spec holds the validated properties of new channels. Checks that need the view come later.
type spec struct {
	privacy      channel.Privacy
	isDefault    bool
	announce     bool
	retention    *int
	topicsPolicy string
	folder       *channel.FolderID        // not checked yet
	permissions  map[string]group.Setting // only those in the request
}

// spec parses and validates the parameters. Errors: BadRequest.
func (c creation) spec() (spec, error) {
	s := spec{
		announce:     c.Announce,
		folder:       c.Folder,
		isDefault:    c.Default,
		topicsPolicy: channel.TopicsInherit,
		permissions:  c.permissions(),
	}
	var err error
	if text := Unquoted(c.TopicsPolicy); text != nil {
		if s.topicsPolicy, err = channel.ParseTopicsPolicy(*text); err != nil {
			return spec{}, err
		}
	}
	if text := Unquoted(c.Retention); text != nil {
		if s.retention, err = channel.ParseRetention(*text); err != nil {
			return spec{}, err
		}
	}
	if s.privacy, err = channel.NewPrivacy(c.Private, c.WebPublic, c.HistoryPublic); err != nil {
		return spec{}, err
	}
	if s.isDefault && s.privacy.Private {
		return spec{}, errs.Bad("A default channel cannot be private.")
	}
	return s, nil
}

// permissions returns the requested permissions by name.
func (c creation) permissions() map[string]group.Setting {
	chosen := map[string]group.Setting{}
	for name, s := range c.settings() {
		if *s != nil {
			chosen[name] = (*s).Normal()
		}
	}
	return chosen
}

// settings returns the fields of the permissions by name.
func (c *creation) settings() map[string]**group.Setting {
	return map[string]**group.Setting{
		"can_add_subscribers_group":              &c.CanAddSubscribers,
		"can_administer_channel_group":           &c.CanAdminister,
		"can_create_topic_group":                 &c.CanCreateTopic,
		"can_delete_any_message_group":           &c.CanDeleteAny,
		"can_delete_own_message_group":           &c.CanDeleteOwn,
		"can_move_messages_out_of_channel_group": &c.CanMoveOut,
		"can_move_messages_within_channel_group": &c.CanMoveWithin,
		"can_remove_subscribers_group":           &c.CanRemove,
		"can_resolve_topics_group":               &c.CanResolve,
		"can_send_message_group":                 &c.CanSend,
		"can_subscribe_group":                    &c.CanSubscribe,
	}
}

// named returns the number of users and groups named by the requested permissions.
func (s spec) named() int {
	n := 0
	for _, value := range s.permissions {
		n += value.Size()
	}
	return n
}

// check checks that a may create channels with these properties. Errors: BadRequest, UnauthorizedPrincipal,
// SystemGroupRequired.
func (s spec) check(v *directory.View, a user.Actor, webPublic bool) error {
	if err := access.CheckPrivacy(v, a, s.privacy, webPublic); err != nil {
		return err
	}
	if s.isDefault && permission.Role(v, a) > user.Admin {
		return access.ErrInsufficient()
	}
	if s.retention != nil {
		if err := permission.CheckRole(v, a, user.Owner); err != nil {
			return err
		}
	}
	if s.topicsPolicy != channel.TopicsInherit {
		if err := access.CheckTopicsPolicy(v, a); err != nil {
			return err
		}
	}
	for _, r := range permission.Settings(group.OfStream) {
		value, chosen := s.permissions[r.Name]
		if !chosen {
			continue
		}
		if err := permission.CheckSetting(v, group.OfStream, r.Name, value); err != nil {
			return err
		}
		if access.Deletes(r.Name) && !value.Equal(group.Named(group.Nobody)) {
			if err := access.CheckDeletePolicy(v, a); err != nil {
				return err
			}
		}
	}
	return (&channel.Channel{HistoryPublic: s.privacy.HistoryPublic, Permissions: s.all(a.User)}).CheckHistory()
}

// all returns all permission settings of a channel created by creator. Settings that were not requested have their
// default values.
func (s spec) all(creator user.ID) map[string]group.Setting {
	all := map[string]group.Setting{}
	for _, r := range permission.Settings(group.OfStream) {
		value, chosen := s.permissions[r.Name]
		if !chosen {
			value = permission.Default(r, creator)
		}
		all[r.Name] = value
	}
	return all
}

// draft returns a new channel without storing it.
func (s *Service) draft(
	ctx context.Context,
	v *directory.View,
	a user.Actor,
	sp spec,
	name, description string,
) (*channel.Channel, error) {
	html, err := s.Render(ctx, v, description)
	if err != nil {
		return nil, err
	}
	var folder channel.FolderID
	if sp.folder != nil {
		folder = *sp.folder
		if err := s.Folders.Check(ctx, a.Realm, folder); err != nil {
			return nil, err
		}
	}
	return &channel.Channel{
		Folder: folder,
		Name:   name, Description: description, Rendered: html, Created: s.Clock.Now().UTC().Truncate(time.Second),
		Creator: a.User,
		Private: sp.privacy.Private, WebPublic: sp.privacy.WebPublic, HistoryPublic: sp.privacy.HistoryPublic,
		RetentionDays: sp.retention, TopicsPolicy: sp.topicsPolicy, Default: sp.isDefault, Permissions: sp.all(a.User),
	}, nil
}

// Render renders a channel's description.
func (s *Service) Render(ctx context.Context, v *directory.View, description string) (string, error) {
	out, err := s.Renderer.Render(ctx, v, markdown.Source{Text: description, Description: true})
	return out.HTML, err
}
