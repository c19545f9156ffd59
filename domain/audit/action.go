package audit

import "slices"

// Action is an action that the audit log records.
type Action string

// The actions.
const (
	UserCreated         Action = "user.created"
	UserDeactivated     Action = "user.deactivated"
	UserReactivated     Action = "user.reactivated"
	UserDeleted         Action = "user.deleted"
	UserErased          Action = "user.erased"
	UserExported        Action = "user.exported"
	UserRenamed         Action = "user.renamed"
	UserRoleChanged     Action = "user.role_changed"
	UserEmailChanged    Action = "user.email_changed"
	UserPasswordChanged Action = "user.password_changed"
	UserProfileChanged  Action = "user.profile_changed" // by somebody else
	UserResetLink       Action = "user.password_reset_link_created"
	UserKeyIssued       Action = "user.api_key_issued"
	UserKeyRevoked      Action = "user.api_key_revoked"
	UserMessagesDeleted Action = "user.messages_deleted"
	UserLimitsReset     Action = "user.limits_reset"

	IdentityConnected    Action = "identity.connected" // an account at an identity provider
	IdentityDisconnected Action = "identity.disconnected"
	IdentityUsed         Action = "identity.used" // to log in
	IdentityRefused      Action = "identity.refused"

	ScimTokenCreated Action = "scim.token_created" //nolint:gosec // no secret
	ScimTokenRevoked Action = "scim.token_revoked" //nolint:gosec // no secret
	ScimRefused      Action = "scim.refused"       // a request of an identity provider

	SecondFactorAdded   Action = "second_factor.added"
	SecondFactorRemoved Action = "second_factor.removed"
	SecondFactorReset   Action = "second_factor.reset" // by somebody else
	SecondFactorUsed    Action = "second_factor.used"  // to log in
	SecondFactorRefused Action = "second_factor.refused"

	BotCreated      Action = "bot.created"
	BotDeactivated  Action = "bot.deactivated"
	BotReactivated  Action = "bot.reactivated"
	BotRenamed      Action = "bot.renamed"
	BotRoleChanged  Action = "bot.role_changed"
	BotEmailChanged Action = "bot.email_changed"
	BotOwnerChanged Action = "bot.owner_changed"
	BotChanged      Action = "bot.changed"
	BotKeyIssued    Action = "bot.api_key_issued"
	BotKeyRevoked   Action = "bot.api_key_revoked"

	LoginSucceeded Action = "login.succeeded"
	LoginFailed    Action = "login.failed"
	SessionEnded   Action = "session.ended"
	SessionsEnded  Action = "session.all_ended"

	RealmCreated         Action = "realm.created"
	RealmDeactivated     Action = "realm.deactivated"
	RealmReactivated     Action = "realm.reactivated"
	RealmSettingChanged  Action = "realm.setting_changed"
	RealmDefaultsChanged Action = "realm.user_defaults_changed"
	RealmDomainsChanged  Action = "realm.domains_changed"
	RealmEmblemChanged   Action = "realm.emblem_changed"
	RealmDeletionChanged Action = "realm.deletion_changed"

	ChannelCreated           Action = "channel.created"
	ChannelArchived          Action = "channel.archived"
	ChannelUnarchived        Action = "channel.unarchived"
	ChannelDeleted           Action = "channel.deleted"
	ChannelChanged           Action = "channel.changed"
	ChannelPermissionChanged Action = "channel.permission_changed"
	ChannelSubscribersAdded  Action = "channel.subscribers_added"   // by others, or to a private channel
	ChannelSubscribersGone   Action = "channel.subscribers_removed" // by others, or from a private channel
	ChannelAddressIssued     Action = "channel.email_address_issued"
	FolderCreated            Action = "channel_folder.created"
	FolderChanged            Action = "channel_folder.changed"
	FoldersReordered         Action = "channel_folder.reordered"
	BundleCreated            Action = "default_channel_group.created"
	BundleChanged            Action = "default_channel_group.changed"
	BundleDeleted            Action = "default_channel_group.deleted"
	TopicDeleted             Action = "channel.topic_deleted"

	GroupCreated           Action = "group.created"
	GroupChanged           Action = "group.changed"
	GroupPermissionChanged Action = "group.permission_changed"
	GroupDeactivated       Action = "group.deactivated"
	GroupReactivated       Action = "group.reactivated"
	GroupDeleted           Action = "group.deleted"
	GroupMembersChanged    Action = "group.members_changed"
	GroupSubgroupsChanged  Action = "group.subgroups_changed"

	InvitationCreated Action = "invitation.created"
	InvitationResent  Action = "invitation.resent"
	InvitationRevoked Action = "invitation.revoked"

	EmojiAdded         Action = "emoji.added"
	EmojiDeactivated   Action = "emoji.deactivated"
	LinkifierAdded     Action = "linkifier.added"
	LinkifierChanged   Action = "linkifier.changed"
	LinkifierRemoved   Action = "linkifier.removed"
	PlaygroundAdded    Action = "playground.added"
	PlaygroundRemoved  Action = "playground.removed"
	FieldAdded         Action = "profile_field.added"
	FieldChanged       Action = "profile_field.changed"
	FieldRemoved       Action = "profile_field.removed"
	FieldsReordered    Action = "profile_field.reordered"
	ExportStarted      Action = "export.started"
	ExportDownloaded   Action = "export.downloaded"
	ExportDeleted      Action = "export.deleted"
	ImportCreated      Action = "import.created"
	ImportStarted      Action = "import.started"
	ImportCanceled     Action = "import.canceled"
	ImportLinks        Action = "import.links_created"
	ImportDeleted      Action = "import.deleted"
	ImportForgotten    Action = "import.forgotten"
	MaintenanceBegun   Action = "maintenance.begun"
	MaintenanceEnded   Action = "maintenance.ended"
	MailDropped        Action = "mail.dropped"
	RelayKeyCreated    Action = "push_relay.key_created"
	RelayServerAdded   Action = "push_relay.server_added"
	RelayServerRemoved Action = "push_relay.server_removed"
	ModuleInstalled    Action = "module.installed" // for the first time, or in another version
	ModuleDisabled     Action = "module.disabled"  // because it failed
	ModuleRemoved      Action = "module.removed"
	SearchRebuilt      Action = "search.rebuilt"
	BackupTaken        Action = "backup.taken"
	BackupRestored     Action = "backup.restored"
	AuditLogRead       Action = "audit_log.read"
	AuditEntriesPurged Action = "audit_log.purged"
)

// Actions returns all actions, sorted.
func Actions() []Action {
	return slices.Sorted(slices.Values([]Action{
		UserCreated, UserDeactivated, UserReactivated, UserDeleted, UserErased, UserExported, UserRenamed,
		UserRoleChanged, UserEmailChanged, UserPasswordChanged, UserProfileChanged, UserResetLink, UserKeyIssued,
		UserKeyRevoked, UserMessagesDeleted, UserLimitsReset,
		IdentityConnected, IdentityDisconnected, IdentityUsed, IdentityRefused,
		ScimTokenCreated, ScimTokenRevoked, ScimRefused,
		SecondFactorAdded, SecondFactorRemoved, SecondFactorReset, SecondFactorUsed, SecondFactorRefused,
		BotCreated, BotDeactivated, BotReactivated, BotRenamed, BotRoleChanged, BotEmailChanged, BotOwnerChanged,
		BotChanged, BotKeyIssued, BotKeyRevoked,
		LoginSucceeded, LoginFailed, SessionEnded, SessionsEnded,
		RealmCreated, RealmDeactivated, RealmReactivated, RealmSettingChanged, RealmDefaultsChanged,
		RealmDomainsChanged, RealmEmblemChanged, RealmDeletionChanged,
		ChannelCreated, ChannelArchived, ChannelUnarchived, ChannelDeleted, ChannelChanged, ChannelPermissionChanged,
		ChannelSubscribersAdded, ChannelSubscribersGone, ChannelAddressIssued, FolderCreated, FolderChanged,
		FoldersReordered, BundleCreated, BundleChanged, BundleDeleted, TopicDeleted,
		GroupCreated, GroupChanged, GroupPermissionChanged, GroupDeactivated, GroupReactivated, GroupDeleted,
		GroupMembersChanged, GroupSubgroupsChanged,
		InvitationCreated, InvitationResent, InvitationRevoked,
		EmojiAdded, EmojiDeactivated, LinkifierAdded, LinkifierChanged, LinkifierRemoved, PlaygroundAdded,
		PlaygroundRemoved, FieldAdded, FieldChanged, FieldRemoved, FieldsReordered, ExportStarted, ExportDownloaded,
		ExportDeleted, ImportCreated, ImportStarted, ImportCanceled, ImportLinks, ImportDeleted, ImportForgotten,
		MaintenanceBegun, MaintenanceEnded, MailDropped, RelayKeyCreated, RelayServerAdded,
		RelayServerRemoved, ModuleInstalled, ModuleDisabled, ModuleRemoved, SearchRebuilt, BackupTaken, BackupRestored,
		AuditLogRead, AuditEntriesPurged,
	}))
}
