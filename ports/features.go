package ports

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/mail"
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/session"
	"github.com/stoachat/stoa/domain/signin"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/domain/webhook"
)

// Realms finds and makes realms. realm → edge, command line, demo.
type Realms interface {
	// Resolve gives the realm that a host name (no port) belongs to; 0 for the root domain where no realm is. The only
	// realm of a server that does not know its domain answers to any name. Errors: NonexistentSubdomain.
	Resolve(ctx context.Context, host string) (realm.ID, error)
	// Create makes a realm with default settings. Inside Do. Errors: BadRequest.
	Create(ctx context.Context, name, stringID string) (realm.ID, error)
	// All gives the ids of all realms, lowest first.
	All(ctx context.Context) ([]realm.ID, error)
	// Active gives those that are not deactivated: those for which jobs have something to do.
	Active(ctx context.Context) ([]realm.ID, error)
}

// RealmSettings changes what a realm has set, for modules whose own changes entail it. realm → playgrounds, push.
type RealmSettings interface {
	// Set changes a plain setting by its wire name, with its events. The caller has checked who may. Joins an open unit of
	// work. Errors: BadRequest for a value that the setting does not take.
	Set(ctx context.Context, r realm.ID, name string, value any) error
	// Announce tells clients of a value of the realm that the caller keeps, and adds to what they are told in
	// realm.Describing; the name is without the prefix realm_. Inside Do.
	Announce(ctx context.Context, r realm.ID, name string, value any) error
}

// RealmStates ends realms, takes them back, and deletes them in the end. realm → command line, what deletes.
type RealmStates interface {
	// Deactivate ends a realm: nobody logs in, every request is refused, event queues end. Its data is kept, for ever or
	// for so many days, after which it is deleted. Errors: BadRequest when it is deactivated already, or for a time that
	// is too short.
	Deactivate(ctx context.Context, r realm.ID, keepDays *int) error
	// Reactivate takes a realm back as it was. Errors: BadRequest when it is not deactivated, or its data is being
	// deleted.
	Reactivate(ctx context.Context, r realm.ID) error
	// Due gives the deactivated realms whose data is to be deleted now. From then on they do not come back. With an error
	// it still gives those that the error is not about.
	Due(ctx context.Context) ([]realm.ID, error)
	// Forget deletes the realm itself, of which nothing else is left. Inside Do.
	Forget(ctx context.Context, r realm.ID) error
}

// Authenticator tells who is calling. accounts → edge, webhooks.
type Authenticator interface {
	// Authenticate finds the active user with that API e-mail or delivery e-mail and that key, in constant time with
	// respect to the key, whose hash the actor keeps. Errors: Unauthorized.
	Authenticate(ctx context.Context, r realm.ID, email, key string) (user.Actor, error)
	// ByKey finds the active user with that key. Errors: InvalidAPIKey, UserDeactivated.
	ByKey(ctx context.Context, r realm.ID, key string) (user.Actor, error)
}

// NewUser is a user to be made.
type NewUser struct {
	Email, FullName, Password string // no password: can't log in with one
	Role                      user.Role
	BotType                   user.BotType
	BotOwner                  user.ID
	Uses                      bot.Bot // what a bot uses unless it says otherwise; whoever makes it stores that, ID is filled in
	PasswordHash              string  // instead of Password: what Passwords.Hash gave
	NoDefaultChannels         bool    // is not subscribed to the channels that new people are subscribed to
	Welcome                   *string // as of user.Joined
}

// Accounts makes users. accounts → invites, demo, command line.
type Accounts interface {
	// Create makes a user. Errors: BadRequest.
	Create(ctx context.Context, by user.Actor, u NewUser) (user.ID, error)
	// IssueKey makes a further API key for a user and gives it, the only time that it can be read. By their first one
	// joins whom an administrator has made.
	IssueKey(ctx context.Context, by user.Actor, u user.ID) (string, error)
	// Deactivate ends an account. Errors: BadRequest, LastUser.
	Deactivate(ctx context.Context, by user.Actor, u user.ID) error
}

// UserSettings changes what people have set for themselves, for modules whose own changes entail it. accounts → status.
type UserSettings interface {
	// Set changes one of a person's settings by its wire name, with its events and moments. The caller has checked who
	// may. Joins an open unit of work. Errors: BadRequest.
	Set(ctx context.Context, by user.Actor, u user.ID, name string, value any) error
}

// UserUpdate is one change of a user's record.
type UserUpdate struct {
	User  user.ID
	Key   string
	Value any // of that key now; encoded as JSON
}

// UserUpdates makes the events by which clients hear that a user's record is another, for modules that add to it.
// accounts → profilefields.
type UserUpdates interface {
	// Updated makes one entry that is an event realm_user/update for each of the changes. All who are addressed must be
	// such as may see all of those users.
	Updated(r realm.ID, to event.Audience, changes ...UserUpdate) event.Event
}

// UserChange is what is to become of a user; what is nil stays as it is.
type UserChange struct {
	FullName *string
	Email    *string
	Role     *user.Role
	BotOwner *user.ID
}

// BotAccounts changes the accounts of bots, and knows their keys. Whether somebody may do so at all the caller has
// checked. accounts → bots.
type BotAccounts interface {
	// Amend changes a user as the rules of accounts allow: names and addresses, which may be taken, roles, which only
	// those may give who have such a one. An owner is taken as given, and gets a new key: whoever had the old one answers
	// for the bot no more. Errors: BadRequest, UnauthorizedPrincipal.
	Amend(ctx context.Context, by user.Actor, u user.ID, c UserChange) error
	// RenewKey gives a user a new API key, and ends all others. Errors: BadRequest if the user is not active.
	RenewKey(ctx context.Context, by user.Actor, u user.ID) (string, error)
	// Keys gives the newest API key of each of these bots, as far as it can be read: keys are kept encrypted with the
	// server's secret (Sealer), and only those of bots.
	Keys(ctx context.Context, r realm.ID, bots ...user.ID) (map[user.ID]string, error)
}

// Passwords hashes and checks passwords. accounts → invites, confirmations, sessions.
type Passwords interface {
	// Hash gives what to store for a password that somebody with that e-mail has chosen. It is slow on purpose: not inside
	// Do. Errors: BadRequest.
	Hash(ctx context.Context, password, email string) (string, error)
	// Prove checks the address and the password of a person. It takes as long for an address that nobody has. What
	// follows from it is done by then, in a unit of work in which the password still is what was checked; it may run
	// again. Not inside Do; the caller limits how often it may fail (kit.LimitLogins). Errors: AuthenticationFailed,
	// UserDeactivated, RealmDeactivated, PasswordAuthDisabled; those of then.
	Prove(ctx context.Context, r realm.ID, email, password string, then func(context.Context, *user.User) error) error
}

// Credentials changes that by which people log in, for a module that has had it proven by a mail who they are. accounts
// → confirmations.
type Credentials interface {
	// ChangeEmail gives a person another address, with its events and moments, as PATCH /settings would let them ask for
	// it now. Inside Do. Errors: BadRequest, also where somebody has the address or the account is no active person's.
	ChangeEmail(ctx context.Context, by user.Actor, u user.ID, email string) error
	// ResetPassword stores the hash of a new password and ends all of a person's API keys. Inside Do. Errors: BadRequest
	// if the account is no active person's, or the realm has no passwords.
	ResetPassword(ctx context.Context, by user.Actor, u user.ID, hash string) error
}

// NewChannel is a channel to be made.
type NewChannel struct {
	Name, Description string
	Private           bool
	WebPublic         bool
	HistoryPublic     bool
	Default           bool
}

// Channels makes channels. channels → demo, command line.
type Channels interface {
	// Create makes a channel with those subscribers. Errors: BadRequest.
	Create(ctx context.Context, by user.Actor, c NewChannel, subscribers []user.ID) (channel.ID, error)
}

// Subscriptions subscribes people. channels → invites, demo.
type Subscriptions interface {
	// Subscribe makes users subscribers of channels; who is one already stays so.
	Subscribe(ctx context.Context, by user.Actor, cs []channel.ID, us []user.ID) error
}

// Members puts people into groups. groups → invites.
type Members interface {
	// AddMembers makes users members of groups that people have made; who is one already stays so. Errors: BadRequest.
	AddMembers(ctx context.Context, by user.Actor, gs []group.ID, us []user.ID) error
}

// Mailer hands mails over to be delivered. adapter → mail.
type Mailer interface {
	// Send hands one mail over. Not inside Do. Errors: BadRequest for a mail that will never be taken, whose text is of no
	// use to anybody but who runs the server; any other error may be over later.
	Send(ctx context.Context, m mail.Message) error
	// Delivers tells whether mails reach anybody: not where they only go to the server's log.
	Delivers() bool
}

// Outbox sends mails after the change that they tell of. mail → invites, confirmations, welcomemails.
type Outbox interface {
	// Post has letters sent after the commit: each is written then (mail.Writing), and at least once handed over, unless
	// that fails for days. Inside Do.
	Post(ctx context.Context, r realm.ID, letters ...mail.Letter) error
	// Delivers tells what Mailer.Delivers does.
	Delivers() bool
}

// Sender sends messages. messages → scheduled, reports, webhooks, demo, command line.
type Sender interface {
	// Send sends as that user, with all checks and effects. Errors: those of POST /messages.
	Send(ctx context.Context, as user.Actor, m message.Outgoing) (message.ID, error)
}

// Dispatch is one of the messages that a Dispatcher sends.
type Dispatch struct {
	As      user.Actor
	Message message.Outgoing
	Ref     int64 // the caller's own name for it
	Err     error // set by the Dispatcher, or by take: why the message was not sent
}

// Dispatcher sends messages that have waited to be sent, each exactly once. messages → scheduled.
type Dispatcher interface {
	// Check refuses a message that its sender may not send now, and returns its HTML otherwise. It sends nothing. Not
	// inside Do. Errors: those of POST /messages.
	Check(ctx context.Context, as user.Actor, m message.Outgoing) (string, error)
	// Dispatch sends messages of one realm in order, many in one transaction, each with all checks and effects of POST
	// /messages. A message that is refused has Err set and does not stop the others. Not inside Do.
	//
	// take runs in each of these transactions, under the realm's lock, with the messages that are about to be sent in it,
	// before they are written: it removes them from where they wait, sets Err on those that do not wait there any more,
	// and returns the events to be logged before the messages. It may run again after a conflict. So a message is sent if
	// and only if take has removed it.
	//
	// Errors: what concerns no single message, such as Unavailable; whatever has not been sent then still waits.
	Dispatch(
		ctx context.Context,
		r realm.ID,
		all []*Dispatch,
		take func(context.Context, []*Dispatch) ([]event.Event, error),
	) error
}

// Messages reads messages. messages → reports, uploads, push, scheduled.
type Messages interface {
	// Visible gives those of the messages with these ids that the actor may see, by id.
	Visible(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.Visible, error)
	// Readable gives those of these ids that are of messages which the actor may see, ascending. User 0 is a spectator.
	Readable(ctx context.Context, to user.Actor, ids ...message.ID) ([]message.ID, error)
}

// ExportedMessages knows which messages an export of a realm holds. messages → uploads.
type ExportedMessages interface {
	// InExport returns those of these ids that are of messages in the export, ascending.
	InExport(ctx context.Context, s *export.Scope, ids ...message.ID) ([]message.ID, error)
}

// Submessages attaches data to messages. messages → widgets.
type Submessages interface {
	// Attach attaches a submessage to a message that by may act upon, and sends the event. The text has passed
	// message.CheckSubmessage. check is called in the transaction with the message and its first submessage, nil if it has
	// none. Errors: BadRequest, the same for missing and invisible messages; those of check.
	Attach(ctx context.Context, by user.Actor, id message.ID, msgType, content string,
		check func(m *message.Message, first *message.Submessage) error) error
}

// MessageObjects gives messages as clients get them. messages → outgoing.
type MessageObjects interface {
	// Object returns a message that the actor may see, and its wire form: content is the Markdown, rendered_content the
	// HTML. A bot may also have the channel messages that its owner may see. Errors: BadRequest, the same for missing and
	// invisible messages; Unauthorized if the actor is not an active user.
	Object(ctx context.Context, to user.Actor, id message.ID) (message.Visible, json.RawMessage, error)
}

// BotServices knows what outgoing webhook bots call. bots → outgoing.
type BotServices interface {
	// Service gives the service of a bot, nil if it has none. Its token is "" if it can't be read.
	Service(ctx context.Context, r realm.ID, b user.ID) (*bot.Service, error)
}

// Webhooks calls services on the web. adapter → outgoing.
type Webhooks interface {
	// Post makes one call and gives what is answered, whatever the status; it follows no redirect. Who has named the
	// address, and who answers, are taken for hostile: it takes seconds at most, and reaches nothing that the config does
	// not allow. Not inside Do. Errors: BadRequest for an address that may not be called as it is written; TooLarge for an
	// answer that is; Unavailable for a connection that failed, and context.DeadlineExceeded for a timeout, which both may
	// be over later. A name that leads to where nothing may be called is Unavailable like one that does not exist: the
	// bot's owner must not learn which names exist.
	Post(ctx context.Context, c webhook.Call) (webhook.Reply, error)
}

// Rerenderer renders messages again. messages → previews, uploads.
type Rerenderer interface {
	// Rerender renders the messages of a realm with these ids that exist with what is known now, and tells those who have
	// a message that has changed by it. Not inside Do. Errors: Unavailable if a message was changed again and again
	// meanwhile.
	Rerender(ctx context.Context, r realm.ID, ids ...message.ID) error
}

// Pages reads what pages on the web say about themselves. adapter → previews.
type Pages interface {
	// Page gives what the page at an address of the web says about itself; it need not say anything. Everything that the
	// address leads to is taken for hostile: it takes seconds at most, and reaches nothing that is not public. Errors:
	// NotFound for whatever can't be shown: no page, not HTML, not public, too slow.
	Page(ctx context.Context, address string) (markdown.Embed, error)
}

// Sessions are the browsers in which people are logged in. Without it the edge answers nothing under /json. sessions
// → edge, homepage, invites, demo.
type Sessions interface {
	// Session returns who a cookie's value stands for, as Authenticate does for keys. It costs no query, and an ended
	// session is refused on every node within a second. Errors: Unauthorized, UserDeactivated, Unavailable.
	Session(ctx context.Context, r realm.ID, cookie string) (user.Actor, error)
	// Begin logs a browser in as an active person, who has proven who they are; by says what the browser is. What it
	// returns goes into the cookie and is kept nowhere. Joins an open unit of work. Errors: BadRequest,
	// RealmDeactivated.
	Begin(ctx context.Context, by user.Actor, u user.ID) (session.Begun, error)
}

// SignIns ends a login by a method of another module, which has found out who somebody is: in a browser, or in an app
// that has opened one (see signin.Flow). sessions → modules that log people in.
type SignIns interface {
	// Finish logs in an active person and returns what the browser is to do. Not inside Do. Errors: BadRequest,
	// RealmDeactivated.
	Finish(ctx context.Context, by user.Actor, u user.ID, f signin.Flow) (signin.Outcome, error)
}

// WebClient is the client for browsers that comes with the server. web → homepage.
type WebClient interface {
	// Built reports whether the server contains the client.
	Built() bool
	// Page answers a request of somebody who is logged in with the page of the client, which repeats the session's
	// token. Only where Built.
	Page(w http.ResponseWriter, token string)
}

// Spectators tells whether a realm lets people read without logging in, what is there for everybody on the web.
// channels → edge.
type Spectators interface {
	Admits(ctx context.Context, r realm.ID) (bool, error)
}

// Demo fills a realm with people, channels and messages to try things with. demo → command line.
type Demo interface {
	// Fill makes the demo organization in a realm that has its owner and nothing else. Not inside Do. Errors: BadRequest
	// if it has been filled already, and those of what it makes.
	Fill(ctx context.Context, r realm.ID) error
}
