package group

import "slices"

// Scope is the kind of object that a permission setting belongs to.
type Scope string

// The scopes, with their wire names.
const (
	OfRealm  Scope = "realm"
	OfStream Scope = "stream"
	OfGroup  Scope = "group"
)

// Creator is the default of settings that initially name the creator of the channel or group. No group has this ID.
const Creator ID = 0

// Rule describes a permission setting: its default and the values it accepts. No setting accepts role:internet.
type Rule struct {
	Name     string
	Default  ID   // a system group, or Creator
	Nobody   bool // accepts role:nobody; otherwise values that nobody matches are refused
	Everyone bool // accepts role:everyone; otherwise guests never pass
	System   bool // accepts system groups only
	Only     []ID // if not empty, the only system groups accepted
	Never    ID   // a system group refused despite the other fields, or 0
	Guarded  bool // accepts a custom group only if none but administrators can change its members
}

// Rules returns the permission settings of a scope. Callers must not modify it.
func Rules(s Scope) []Rule {
	switch s {
	case OfRealm:
		return realmRules
	case OfStream:
		return streamRules
	case OfGroup:
		return groupRules
	}
	return nil
}

var realmRules = []Rule{
	{Name: "can_access_all_users_group", Default: Everyone, Everyone: true, System: true, Only: []ID{Everyone, Members}},
	{Name: "can_add_custom_emoji_group", Default: Members, Nobody: true},
	{Name: "can_add_subscribers_group", Default: Members, Nobody: true},
	{Name: "can_create_bots_group", Default: Members, Nobody: true},
	{Name: "can_create_groups", Default: Members, Nobody: true},
	{Name: "can_create_private_channel_group", Default: Members, Nobody: true},
	{Name: "can_create_public_channel_group", Default: Members, Nobody: true},
	{
		Name:    "can_create_web_public_channel_group",
		Default: Owners,
		Nobody:  true,
		System:  true,
		Only:    []ID{Moderators, Administrators, Owners, Nobody},
	},
	{Name: "can_create_write_only_bots_group", Default: Members, Nobody: true},
	{Name: "can_delete_any_message_group", Default: Administrators, Nobody: true},
	{Name: "can_delete_own_message_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_invite_users_group", Default: Members, Nobody: true},
	{Name: "can_manage_all_groups", Default: Owners},
	{Name: "can_manage_billing_group", Default: Administrators},
	{Name: "can_mention_many_users_group", Default: Administrators, Nobody: true, Everyone: true},
	{Name: "can_move_messages_between_channels_group", Default: Members, Nobody: true},
	{Name: "can_move_messages_between_topics_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_resolve_topics_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_set_delete_message_policy_group", Default: Moderators, Nobody: true},
	{Name: "can_set_topics_policy_group", Default: Members, Nobody: true, Everyone: true},
	{Name: "can_summarize_topics_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "create_multiuse_invite_group", Default: Administrators, Nobody: true},
	{Name: "direct_message_initiator_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "direct_message_permission_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "workplace_users_group", Default: Everyone, Nobody: true, Everyone: true, Guarded: true},
}

// can_administer_channel_group accepts role:nobody on purpose: administrators can change every channel and so can
// undo it.
var streamRules = []Rule{
	{Name: "can_add_subscribers_group", Default: Nobody, Nobody: true},
	{Name: "can_administer_channel_group", Default: Creator, Nobody: true},
	{Name: "can_create_topic_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_delete_any_message_group", Default: Nobody, Nobody: true, Everyone: true},
	{Name: "can_delete_own_message_group", Default: Nobody, Nobody: true, Everyone: true},
	{Name: "can_move_messages_out_of_channel_group", Default: Nobody, Nobody: true, Everyone: true},
	{Name: "can_move_messages_within_channel_group", Default: Nobody, Nobody: true, Everyone: true},
	{Name: "can_remove_subscribers_group", Default: Administrators, Nobody: true, Everyone: true},
	{Name: "can_resolve_topics_group", Default: Nobody, Nobody: true, Everyone: true},
	{Name: "can_send_message_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_subscribe_group", Default: Nobody, Nobody: true},
}

// The same holds for can_manage_group: can_manage_all_groups, which never is role:nobody, covers every custom group.
var groupRules = []Rule{
	{Name: "can_add_members_group", Default: Creator, Nobody: true},
	{Name: "can_join_group", Default: Nobody, Nobody: true},
	{Name: "can_leave_group", Default: Everyone, Nobody: true, Everyone: true},
	{Name: "can_manage_group", Default: Creator, Nobody: true},
	{Name: "can_mention_group", Default: Everyone, Nobody: true, Everyone: true, Never: Owners},
	{Name: "can_remove_members_group", Default: Nobody, Nobody: true},
}

// Accepts reports whether the setting accepts a group. Custom groups are accepted unless System.
func (r Rule) Accepts(id ID) bool {
	if id >= FirstCustom {
		return !r.System
	}
	if len(r.Only) > 0 {
		return slices.Contains(r.Only, id)
	}
	switch id {
	case Internet, r.Never:
		return false
	case Nobody:
		return r.Nobody
	case Everyone:
		return r.Everyone
	}
	return true
}

// Description describes a permission setting to clients.
type Description struct {
	RequireSystemGroup     bool     `json:"require_system_group"`
	AllowInternetGroup     bool     `json:"allow_internet_group"`
	AllowNobodyGroup       bool     `json:"allow_nobody_group"`
	AllowEveryoneGroup     bool     `json:"allow_everyone_group"`
	DefaultGroupName       string   `json:"default_group_name"`
	DefaultForSystemGroups *string  `json:"default_for_system_groups"`
	AllowedSystemGroups    []string `json:"allowed_system_groups"`
}

// Describe returns the setting's description.
func (r Rule) Describe() Description {
	d := Description{
		RequireSystemGroup: r.System, AllowNobodyGroup: r.Nobody, AllowEveryoneGroup: r.Everyone,
		DefaultGroupName: SystemName(r.Default), AllowedSystemGroups: []string{},
	}
	for _, id := range r.Only {
		d.AllowedSystemGroups = append(d.AllowedSystemGroups, SystemName(id))
	}
	return d
}

// SystemName returns the name of a system group (role:members), or "" for other groups.
func SystemName(id ID) string {
	switch id {
	case Nobody:
		return "role:nobody"
	case Owners:
		return "role:owners"
	case Administrators:
		return "role:administrators"
	case Moderators:
		return "role:moderators"
	case FullMembers:
		return "role:fullmembers"
	case Members:
		return "role:members"
	case Everyone:
		return "role:everyone"
	case Internet:
		return "role:internet"
	}
	return ""
}
