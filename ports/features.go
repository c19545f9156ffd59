package ports

import (
	"context"
	"time"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
)

// Realms finds and creates realms. realm → HTTP server, command line, demo. It is a port because the server itself
// resolves and creates realms with it.
type Realms interface {
	// Resolve returns the realm served under a host name (without port), or 0 for the root domain if it has no realm.
	// If no domain is configured, a server's only realm is served under every name. Errors: NonexistentSubdomain.
	Resolve(ctx context.Context, host string) (realm.ID, error)
	// Create creates a realm with default settings. Inside Do. Errors: BadRequest.
	Create(ctx context.Context, name, stringID string) (realm.ID, error)
	// All returns the IDs of all realms, ascending.
	All(ctx context.Context) ([]realm.ID, error)
	// Active returns the IDs of the realms that are not deactivated. Jobs run for these only.
	Active(ctx context.Context) ([]realm.ID, error)
}

// RealmSettings changes settings of a realm on behalf of modules whose own changes affect them. realm → playgrounds,
// push, logos. It is a port because it changes the settings that realm stores.
type RealmSettings interface {
	// Set changes a plain setting by its wire name and logs its events. The caller has checked permissions. Joins an
	// open unit of work. Errors: BadRequest for an invalid value.
	Set(ctx context.Context, r realm.ID, name string, value any) error
	// SetEmblem sets the icon or a logo to an uploaded picture, or with "" to the default, and notifies all users. It
	// returns the changed realm. The caller has checked permissions. Inside Do.
	SetEmblem(ctx context.Context, by user.Actor, e realm.Emblem, address string) (*realm.Realm, error)
	// Announce sends clients the new value of a realm property that the caller stores itself and reports in
	// realm.Description. name is the property's wire name without the prefix realm_. Inside Do.
	Announce(ctx context.Context, r realm.ID, name string, value any) error
}

// RealmStates deactivates, reactivates and deletes realms. realm → command line, the erasing job,
// imports. It is a port because
// it acts for commands and jobs of the server itself.
type RealmStates interface {
	// Deactivate disables a realm: logins and requests are refused and event queues end. Its data is kept for
	// keepDays days and then deleted; nil keeps it forever. Errors: BadRequest if the realm is already deactivated or
	// keepDays is too small.
	Deactivate(ctx context.Context, r realm.ID, keepDays *int) error
	// Reactivate restores a deactivated realm. Errors: BadRequest if it is not deactivated, or its data is being
	// deleted.
	Reactivate(ctx context.Context, r realm.ID) error
	// Delete has all data of a deactivated realm deleted soon. It cannot be reactivated any more. Errors:
	// PermissionDenied if it is active.
	Delete(ctx context.Context, r realm.ID) error
	// Due returns the deactivated realms whose data is due for deletion. From then on they cannot be reactivated. If it
	// fails for some realms, it returns the others together with the error.
	Due(ctx context.Context) ([]realm.ID, error)
	// Forget deletes the realm's row. All its other data must have been deleted before. Inside Do.
	Forget(ctx context.Context, r realm.ID) error
}

// Authenticator identifies callers. accounts → HTTP server, webhooks. It is a port because the server itself
// authenticates requests with it.
type Authenticator interface {
	// Authenticate returns the active user with the given API email or delivery email and key. The key is compared in
	// constant time; the actor holds its hash. Errors: Unauthorized.
	Authenticate(ctx context.Context, r realm.ID, email, key string) (user.Actor, error)
	// ByKey returns the active user with the given key. Errors: InvalidAPIKey, UserDeactivated.
	ByKey(ctx context.Context, r realm.ID, key string) (user.Actor, error)
	// Used notes that a request was made with the actor's key, so that its owner sees when and from where.
	Used(a user.Actor)
}

// NewUser describes a user to create.
type NewUser struct {
	Email, FullName, Password string // empty password: password login is impossible
	Role                      user.Role
	BotType                   user.BotType
	BotOwner                  user.ID
	BotDefaults               bot.Bot      // a bot's defaults; Create sets the ID, the caller stores them
	PasswordHash              string       // from Passwords.Hash, instead of Password
	Channels                  []channel.ID // as in user.Joined, like the next three
	Groups                    []group.ID
	NoDefaultChannels         bool
	Welcome                   *string
	Language                  string // value of the setting default_language; "": the realm's default
}

// Accounts creates users. accounts → invites, demo, command line. It is a port because it creates and deactivates
// accounts.
type Accounts interface {
	// Create creates a user. Errors: BadRequest.
	Create(ctx context.Context, by user.Actor, u NewUser) (user.ID, error)
	// Bot returns a module's own bot, which is created when it is first needed: a bot without an owner and without an
	// API key, with the address that the short name results in (bot.Email). It has the rights of a member, and
	// administrators manage it like any other bot. The module declares the short name in kit.Parts.Bots, which reserves
	// the address. Joins an open unit of work. Errors: BadRequest if a user had the address before, or the bot has been
	// deactivated.
	Bot(ctx context.Context, r realm.ID, short, fullName string) (user.Actor, error)
	// IssueKey creates another API key for a user and returns it; only its hash is stored. A user created by an
	// administrator joins when their first key is issued.
	IssueKey(ctx context.Context, by user.Actor, u user.ID) (string, error)
	// Deactivate deactivates an account. Errors: BadRequest, LastUser.
	Deactivate(ctx context.Context, by user.Actor, u user.ID) error
	// Reactivate reactivates an account; nothing happens if it is active. The former API keys of people remain revoked.
	// Errors: BadRequest.
	Reactivate(ctx context.Context, by user.Actor, u user.ID) error
	// Delete deactivates an account and its bots if they are active, and deletes the given data: the profile
	// immediately, messages later. The caller has checked permissions. Errors: BadRequest for the last owner.
	Delete(ctx context.Context, by user.Actor, u user.ID, what user.Deletion) error
	// Anonymize replaces the address of a deactivated account and resets its settings, so that nothing of the account
	// identifies the person. It appends another entry to the log, after which no earlier one is needed.
	Anonymize(ctx context.Context, by user.Actor, u user.ID) error
}

// UserSettings changes personal settings on behalf of modules whose own changes affect them. accounts → status,
// widgets, mailnotify, avatars. It is a port because it changes the records that accounts stores.
type UserSettings interface {
	// Set changes one of a user's settings by its wire name, logs its events and runs its hooks. The caller has checked
	// permissions. Joins an open unit of work. Errors: BadRequest.
	Set(ctx context.Context, by user.Actor, u user.ID, name string, value any) error
	// SetAvatar sets a user's avatar to an uploaded picture, or with "" to the default, and notifies the users who
	// can see the user. It returns the changed user. The caller has checked permissions. Inside Do. Errors:
	// BadRequest for an unknown user.
	SetAvatar(ctx context.Context, by user.Actor, u user.ID, address string) (*user.User, error)
}

// UserUpdate is one change of a user's record.
type UserUpdate struct {
	User  user.ID
	Key   string
	Value any // the key's new value; encoded as JSON
}

// UserUpdates builds the events that notify clients of changes to a user's record, for modules that add fields to it.
// accounts → profilefields. It isolates the wire form of changes to records, whose events accounts declares.
type UserUpdates interface {
	// Updated returns one log entry that produces a realm_user/update event per change. Every addressed user must be
	// allowed to see all changed users.
	Updated(r realm.ID, to event.Audience, changes ...UserUpdate) event.Event
}

// UserChange lists changes to a user; nil fields stay unchanged.
type UserChange struct {
	FullName *string
	Email    *string
	Role     *user.Role
	BotOwner *user.ID
}

// BotAccounts changes bot accounts and reads their keys. The caller has checked that the actor may manage the bot.
// accounts → bots. It is a port because it changes accounts and issues keys.
type BotAccounts interface {
	// Amend changes a user. It refuses names and addresses in use, and roles above the actor's own. It does not check
	// the new owner. A change of owner replaces the key, so that the previous owner's copy stops working. Errors:
	// BadRequest, UnauthorizedPrincipal.
	Amend(ctx context.Context, by user.Actor, u user.ID, c UserChange) error
	// RenewKey issues a new API key and revokes all others. Errors: BadRequest if the user is not active.
	RenewKey(ctx context.Context, by user.Actor, u user.ID) (string, error)
	// Keys returns the newest API key of each bot, leaving out keys that can't be decrypted. Bots' keys, unlike those
	// of other users, are stored encrypted (Sealer), not just hashed.
	Keys(ctx context.Context, r realm.ID, bots ...user.ID) (map[user.ID]string, error)
}

// Passwords hashes and checks passwords. accounts → invites, confirmations, sessions. It isolates the hashing of
// passwords.
type Passwords interface {
	// MinLength returns the minimum length of new passwords in code points.
	MinLength() int
	// Check refuses passwords that somebody with an email address must not choose: those that are too short, too long,
	// easy to guess, also by whoever knows the person's names, or known from breaches. It takes up to 0.1 s: not inside
	// Do. Errors: BadRequest.
	Check(password, email string, names ...string) error
	// Accepted reports whether people of a realm can log in with a password, and whether they may give a name in place
	// of their email address, because a PasswordSource knows it.
	Accepted(ctx context.Context, r realm.ID) (passwords, names bool, err error)
	// Hash checks a password as Check does, and returns what to store for it. It is slow on purpose: not inside Do.
	// Errors: BadRequest.
	Hash(ctx context.Context, password, email string, names ...string) (string, error)
	// Prove checks a user's email, or a name that a PasswordSource knows, and password; its duration does not reveal
	// whether the email is known. On success it calls then in a unit of work that has verified that the password is
	// unchanged. then may run more than once. Not inside Do; the caller limits failures (kit.LimitLogins). Errors:
	// AuthenticationFailed, UserDeactivated, RealmDeactivated, PasswordAuthDisabled; those of then; Unavailable or
	// BadRequest of a PasswordSource.
	Prove(ctx context.Context, r realm.ID, email, password string, then func(context.Context, *user.User) error) error
}

// PasswordSources lets modules check passwords that the server does not store. accounts → ldap. It is a port because
// the login form and POST /fetch_api_key check passwords with it.
type PasswordSources interface {
	// Add adds a source. A module calls it while it is wired.
	Add(s PasswordSource)
}

// PasswordSource checks passwords that the server does not store, such as those of a directory. ldap → accounts. It
// isolates the directory.
type PasswordSource interface {
	// Serves reports whether people of a realm can log in with it.
	Serves(ctx context.Context, r realm.ID) (bool, error)
	// Holds reports whether it has a user's password.
	Holds(ctx context.Context, r realm.ID, u user.ID) (bool, error)
	// Prove is like Passwords.Prove, for a name or email address. known is false, and err nil, if nobody has the name.
	// Errors: those of Passwords.Prove; Unavailable; BadRequest if the person may not enter.
	Prove(
		ctx context.Context, r realm.ID, name, password string, then func(context.Context, *user.User) error,
	) (known bool, err error)
}

// Credentials changes login credentials for modules that have verified the user by email. accounts → confirmations. It
// is a port because it changes addresses and passwords.
type Credentials interface {
	// ChangeEmail changes a user's email, including events and hooks, provided that the user could still request the
	// change with PATCH /settings. Inside Do. Errors: BadRequest, also if the email is taken or the account is not an
	// active human user's.
	ChangeEmail(ctx context.Context, by user.Actor, u user.ID, email string) error
	// ResetPassword stores the hash of a new password and revokes all of the user's API keys. Inside Do. Errors:
	// BadRequest if the account is not an active human user's, or the realm does not allow passwords.
	ResetPassword(ctx context.Context, by user.Actor, u user.ID, hash string) error
	// RevokeKeys revokes all API keys of an active human user. Inside Do. Errors: BadRequest.
	RevokeKeys(ctx context.Context, by user.Actor, u user.ID) error
}

// NewChannel describes a channel to create, like the parameters of POST /channels/create.
type NewChannel struct {
	Name, Description string
	Private           bool
	WebPublic         bool
	HistoryPublic     bool // of a private channel: new subscribers can read earlier messages
	Default           bool
	TopicsPolicy      string                   // such as channel.TopicsAllowEmpty; "": that of the organization
	Folder            channel.FolderID         // 0: none
	Permissions       map[string]group.Setting // by name, such as can_send_message_group; others have their defaults
}

// Channels creates channels and changes who is subscribed to them, with the checks, limits, events and hooks of the
// API's requests. Inside Do, the change is part of the transaction. channels → demo, command line. It is a port because
// it creates channels and subscriptions.
type Channels interface {
	// Create creates a channel with the given subscribers. Errors: BadRequest.
	Create(ctx context.Context, by user.Actor, c NewChannel, subscribers []user.ID) (channel.ID, error)
	// Subscribe subscribes users to channels, ignoring those who are subscribed already. Errors: BadRequest.
	Subscribe(ctx context.Context, by user.Actor, us []user.ID, cs ...channel.ID) error
	// Unsubscribe ends subscriptions, ignoring those that do not exist. Errors: BadRequest.
	Unsubscribe(ctx context.Context, by user.Actor, us []user.ID, cs ...channel.ID) error
}

// NewGroup describes a user group to create.
type NewGroup struct {
	Name, Description string
	Members           []user.ID
}

// Groups creates user groups and changes their members, with the checks, limits, events and hooks of the API. Inside
// Do, the change is part of the transaction. groups → identities, scim. It is a port because it creates groups and
// memberships.
type Groups interface {
	// Create creates a group with the default permissions, which the creator manages. Errors: BadRequest.
	Create(ctx context.Context, by user.Actor, g NewGroup) (group.ID, error)
	// ChangeMembers adds and removes members, all of them or none. The server itself can also remove deactivated users,
	// whose memberships are kept. Errors: BadRequest, also for a user who is a member already or is none.
	ChangeMembers(ctx context.Context, by user.Actor, g group.ID, add, remove []user.ID) error
	// Rename changes a group's name. Errors: BadRequest.
	Rename(ctx context.Context, by user.Actor, g group.ID, name string) error
	// Delete deletes a group for good, also an active one. Only owners and the server itself may. Errors: BadRequest,
	// GroupInUse, UnauthorizedPrincipal.
	Delete(ctx context.Context, by user.Actor, g group.ID) error
}

// Mailer delivers emails. adapter → mail. It isolates the mail server.
type Mailer interface {
	// Send delivers one email. Not inside Do. Errors: BadRequest, with a text for the server's operator only, for an
	// email that will never be accepted; any other error may be temporary.
	Send(ctx context.Context, m mail.Message) error
	// Delivers reports whether emails are really sent, not only written to the server's log.
	Delivers() bool
}

// MailSender is implemented by Mailers that know the sender of emails. It isolates the mail server.
type MailSender interface {
	// Sender returns the address of the sender, and the selector of the key by which the mail server signs, or "".
	Sender() (address, selector string)
}

// Outbox sends emails after a change has committed. mail → invites, confirmations, welcomemails. It is a port because
// it stores what is to be sent.
type Outbox interface {
	// Post queues letters for sending after the commit. Each is composed only when it is sent (mail.Composition), and is
	// sent at least once unless sending fails for days. Inside Do.
	Post(ctx context.Context, r realm.ID, letters ...mail.Letter) error
	// Delivers reports the same as Mailer.Delivers.
	Delivers() bool
}

// Webhooks calls external services. adapter → calls, outgoing. It isolates calls to untrusted servers.
type Webhooks interface {
	// Post makes one call and returns the reply, whatever its status; it does not follow redirects. Both the URL and
	// the reply are untrusted: a call takes seconds at most and reaches only addresses that the configuration allows.
	// Not inside Do. Errors: BadRequest for a URL whose form is not allowed; TooLarge for an oversized reply;
	// Unavailable for a failed connection and context.DeadlineExceeded for a timeout, which may both be temporary. A
	// host that resolves to a forbidden address is Unavailable, like one that does not exist: the bot's owner must
	// not learn which hosts exist.
	Post(ctx context.Context, c webhook.Call) (webhook.Reply, error)
	// Get is like Post, but makes a GET request for one of the given media types.
	Get(ctx context.Context, url, accept string) (webhook.Reply, error)
}

// AutomaticPolicies changes users' policies for the topics in which they write or are mentioned. topics → messages. It
// is a port because it changes policies in the commit of messages, and senders learn which.
type AutomaticPolicies interface {
	// MayChange reports whether sending a message to a topic may change the sender's policy for it. Most messages do
	// not, and the commit is contended. Outside of the commit.
	MayChange(ctx context.Context, by user.Actor, c channel.ID, topic string) (bool, error)
	// Apply changes the policies of the senders of messages, if they are in changing, and of mentioned users. It returns
	// the policies that senders have acquired, by message. Inside Do, under the realm's lock, once for all messages that
	// are committed together.
	Apply(ctx context.Context, sent *message.Sent, changing map[message.ID]bool) (map[message.ID]topic.Visibility, error)
}

// TopicPolicies sets users' policies for topics, as the API does. topics → modules outside of this repository. It is a
// port because it changes policies.
type TopicPolicies interface {
	// Set mutes, unmutes or follows a topic for a user, or with topic.None removes the policy. Joins an open unit of
	// work. Errors: BadRequest.
	Set(ctx context.Context, as user.Actor, c channel.ID, name string, policy topic.Visibility) error
}

// Pages fetches the metadata of web pages. adapter → previews. It isolates calls to untrusted servers.
type Pages interface {
	// Page returns the metadata of the page at a web address. All its fields may be empty. The address and everything
	// it leads to are untrusted: a call takes seconds at most and reaches public addresses only. Errors: NotFound for
	// anything that can't be shown: no page, not HTML, not public, too slow.
	Page(ctx context.Context, address string) (markdown.Embed, error)
}

// Demo fills a realm with sample users, channels and messages. demo → command line. It is a port because it acts for a
// command of the server itself.
type Demo interface {
	// Fill creates the demo organization in a realm that contains only its owner. Not inside Do. Errors: BadRequest
	// if the realm was filled before, and those of the ports it uses.
	Fill(ctx context.Context, r realm.ID) error
}

// ResetLinks creates links with which people set a password. confirmations → imports. It is a port because it lets
// people in.
type ResetLinks interface {
	// Create returns a link for an active person, and when it expires. Earlier ones no longer work. fallback is the URL
	// of the realm if the server does not know its own. The caller has checked permissions. Errors: BadRequest.
	Create(ctx context.Context, r realm.ID, u user.ID, fallback string) (link string, expires time.Time, err error)
	// Mail creates such a link and sends it to the person, in an email that welcomes them to an organization that was
	// imported. Errors: BadRequest, also if the server does not send email.
	Mail(ctx context.Context, r realm.ID, u user.ID) error
	// Mails reports whether the server sends email.
	Mails() bool
}
