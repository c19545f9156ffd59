package accounts

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// usersTable declares the table of users, which are exported from the view: it knows whose address is visible.
func usersTable() kit.Table {
	t := kit.Exported[userRow]("A user or a bot. Without the user's consent, settings (those that differ from the " +
		"server's defaults) are omitted, and so is the address if administrators cannot see it.")
	t = kit.Imported(t, adaptUser)
	return kit.Paged[exportedUser](t, exportUsers)
}

// adaptUser completes an imported user. Pictures are imported with their own addresses.
func adaptUser(_ importing.Mapping, row *userRow) (bool, error) {
	row.EmailKey = user.EmailKey(row.DeliveryEmail)
	row.Avatar, row.AvatarVersion = "", max(1, row.AvatarVersion)
	if row.AvatarSource == user.Uploaded {
		row.AvatarSource = user.Gravatar
	}
	if row.Settings == "" {
		row.Settings = "{}"
	}
	return !row.System && row.EmailKey != "", nil
}

// exportedUser describes a user in an export.
type exportedUser struct {
	ID            user.ID         `json:"id"`
	DeliveryEmail string          `json:"delivery_email,omitempty"`
	FullName      string          `json:"full_name"`
	Role          user.Role       `json:"role"`
	Active        bool            `json:"active"`
	BotType       user.BotType    `json:"bot_type"`
	BotOwner      user.ID         `json:"bot_owner"`
	System        bool            `json:"system"`
	Joined        time.Time       `json:"joined_at"`
	AvatarSource  string          `json:"avatar_source"`
	AvatarVersion int             `json:"avatar_version"`
	Avatar        string          `json:"avatar"`
	Settings      json.RawMessage `json:"settings,omitempty"`
}

const perExport = 500 // users per page

// exportUsers returns the page of users that follows the cursor after.
func exportUsers(_ context.Context, s *export.Scope, after string) (export.Page, error) {
	last := 0
	if after != "" {
		var err error
		if last, err = strconv.Atoi(after); err != nil {
			return export.Page{}, err
		}
	}
	users := s.Users(user.ID(last), perExport)
	page := export.Page{}
	for _, u := range users {
		out := exportedUser{
			ID: u.ID, FullName: u.FullName, Role: u.Role, Active: u.Active, BotType: u.BotType,
			BotOwner: u.BotOwner, System: u.System,
			Joined: u.Joined.UTC(), AvatarSource: u.AvatarSource, AvatarVersion: u.AvatarVersion, Avatar: u.Avatar,
		}
		if s.Email(u) {
			out.DeliveryEmail = u.DeliveryEmail
		}
		if s.Private(u.ID) {
			var err error
			if out.Settings, err = json.Marshal(setting.Differing(u.Settings, user.Defaults())); err != nil {
				return export.Page{}, err
			}
		}
		page.Lines = append(page.Lines, out)
	}
	if len(users) == perExport {
		page.Next = strconv.FormatInt(int64(users[perExport-1].ID), 10)
	}
	return page, nil
}
