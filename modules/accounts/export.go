package accounts

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/setting"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// exported declares how the tables are exported.
func exported() []kit.Export {
	return slices.Concat([]kit.Export{{
		Table: "users",
		Doc: "A user or a bot. Without the user's consent, settings (those that differ from the server's defaults) " +
			"are omitted, and so is the address if administrators cannot see it.",
		Columns: []string{
			"id", "delivery_email", "full_name", "role", "active:bool", "bot_type", "bot_owner", "system:bool",
			"joined_at:time",
			"avatar_source", "avatar_version", "avatar", "settings:json",
		},
		Without: []string{"email_key"},
		Page:    exportUsers,
	}},
		kit.NotExported("login secrets", "user_passwords", "api_keys"),
		kit.NotExported("internal state of this server", "edited_settings", "awaited_users"),
	)
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
