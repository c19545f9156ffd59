package oracle_test

import (
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	customemoji "github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

// decisions holds what the server permits a user, by the methods of the web client's Can (src/store/can.ts), which must
// decide the same. Each answer follows the arguments of the method, which are IDs, names or flags. The rules are those
// that the routes apply.
type decisions map[string][][]any

func (d decisions) add(method string, answer bool, args ...any) {
	d[method] = append(d[method], append(args, answer))
}

// decider answers the questions about one user.
type decider struct {
	v   *directory.View
	u   *user.User
	now time.Time
	decisions
}

// decide returns the decisions about the user with an ID. seen holds messages that the user can see.
func (w *simulation) decide(id user.ID, now time.Time, seen []seenMessage) decisions {
	w.s.T.Helper()
	v, err := w.s.Ports.Directory.View(w.s.T.Context(), w.s.Realm)
	if err != nil {
		w.s.T.Fatal(err)
	}
	d := decider{v, v.User(id), now, decisions{}}
	d.organization()
	d.settings()
	d.channels()
	d.messages(seen)
	d.groups()
	d.people()
	return d.decisions
}

func (d decider) holds(setting string) bool { return permission.Holds(d.v, d.u.ID, setting) }

// organization decides what concerns the organization as a whole, and the user's own account.
func (d decider) organization() {
	invites := func(k invite.Kind, as user.Role) bool { return invite.CheckCreate(d.v, d.u.ID, k, as) == nil }
	d.add("administerOrganization", d.u.IsAdmin())
	d.add("ownOrganization", d.u.Role == user.Owner)
	d.add("moderateOrganization", d.u.Role <= user.Moderator)
	d.add("actAsMember", !d.u.IsGuest())
	d.add("invite", invites(invite.ByMail, user.Guest))
	d.add("inviteByLink", invites(invite.ByLink, user.Guest))
	for _, r := range []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Guest} {
		d.add("inviteAs", invites(invite.ByMail, r) || invites(invite.ByLink, r), r)
	}
	creates := func(p channel.Privacy) bool { return permission.CreatesChannels(d.v, d.u.ID, p) }
	d.add("createPublicChannel", creates(channel.Privacy{HistoryPublic: true}))
	d.add("createPrivateChannel", creates(channel.Privacy{Private: true}))
	d.add("createWebPublicChannel", creates(channel.Privacy{WebPublic: true, HistoryPublic: true}))
	d.add("createGroup", d.holds("can_create_groups"))
	d.add("createBots", permission.CreatesBot(d.v, d.u.ID, user.GenericBot))
	d.add("createIncomingWebhooks", permission.CreatesBot(d.v, d.u.ID, user.IncomingWebhook))
	d.add("mentionMany", d.holds("can_mention_many_users_group"))
	d.add("exportWithoutConsent",
		d.u.IsAdmin() && export.CheckType(export.WithoutConsent, &d.v.Realm().Settings, d.u.Role) == nil)
	d.add("changeOwnName", permission.ChangesOwnName(d.v, d.u))
	d.add("changeOwnEmail", permission.ChangesOwnEmail(d.v, d.u))
	d.add("changeOwnPicture", permission.ChangesOwnAvatar(d.v, d.u))
	d.add("addEmoji", permission.AddsEmoji(d.v, d.u))
	for _, e := range customemoji.In(d.v).All() {
		if !e.Deactivated {
			d.add("removeEmoji", permission.RemovesEmoji(d.u, e.Author), e.ID)
		}
	}
}

// settings decides which settings of the organization the user may change.
func (d decider) settings() {
	add := func(name, onWire string) {
		if minimum := realm.MayChange(name); minimum != 0 {
			d.add("changeSetting", d.u.IsAdmin() && d.u.Role <= minimum, onWire)
		}
	}
	for _, r := range realm.Rows() {
		onWire := r.Name
		if r.Name == "password_auth" {
			onWire = "authentication_methods"
		}
		add(r.Name, onWire)
	}
	for _, r := range group.Rules(group.OfRealm) {
		add(r.Name, r.Name)
	}
}

func (d decider) channels() {
	for c := range d.v.Channels() {
		if !permission.SeesChannel(d.v, c, d.u) {
			continue
		}
		reads, administers := permission.Reads(d.v, c, d.u), permission.Administers(d.v, c, d.u)
		changes := reads && !c.Archived // messages; see access.Service.Changeable
		posts := message.CheckPost(d.v, d.u, c) == nil
		creates := func(p channel.Privacy) bool {
			return administers && reads && permission.CreatesChannels(d.v, d.u.ID, p)
		}
		d.add("administer", administers, c.ID)
		d.add("read", reads, c.ID)
		d.add("seeHistory", permission.ReadsAll(d.v, c, d.u), c.ID)
		d.add("join", reads && !d.u.IsGuest(), c.ID)
		d.add("post", posts, c.ID)
		for _, name := range []string{"", "a topic"} {
			allowed := topic.CheckPolicy(c.TopicsPolicy, d.v.Realm().Settings.TopicsPolicy, name) == nil
			d.add("post", posts && allowed, c.ID, name)
		}
		d.add("createTopic", posts && message.MayCreateTopics(d.v, d.u, c), c.ID)
		d.add("subscribeOthers", !d.u.IsGuest() && permission.AddsSubscribers(d.v, c, d.u), c.ID)
		d.add("unsubscribeOthers", permission.RemovesSubscribers(d.v, c, d.u), c.ID)
		d.add("renameTopics", changes && message.MayRename(d.v, d.u, c, true), c.ID)
		d.add("moveMessagesOut", changes && message.MayMoveOut(d.v, d.u, c), c.ID)
		d.add("resolveTopics", changes && message.MayResolve(d.v, d.u, c), c.ID)
		d.add("deleteTopics", changes && d.u.IsAdmin(), c.ID)
		d.add("mentionAll", message.CheckMentions(d.v, d.u, c, message.Mentions{Channel: true}) == nil, c.ID)
		d.add("makePublic", creates(channel.Privacy{HistoryPublic: true}), c.ID)
		d.add("makePrivate", creates(channel.Privacy{Private: true}), c.ID)
		d.add("makeWebPublic", creates(channel.Privacy{WebPublic: true, HistoryPublic: true}), c.ID)
		d.add("grantAccess", administers && reads, c.ID)
		d.add("setTopicsPolicy", administers && permission.SetsTopicsPolicy(d.v, d.u), c.ID)
		d.add("setDeletePolicy", administers && permission.SetsDeletePolicy(d.v, d.u), c.ID)
	}
}

// seenMessage is a message as the API describes it.
type seenMessage struct {
	ID          message.ID           `json:"id"`
	Type        string               `json:"type"`
	Sender      user.ID              `json:"sender_id"`
	Channel     channel.ID           `json:"stream_id"`
	Topic       string               `json:"subject"`
	SentAt      int64                `json:"timestamp"`
	Submessages []struct{ ID int64 } `json:"submessages"`
}

func (d decider) messages(seen []seenMessage) {
	settings := d.v.Realm().Settings
	inTime := func(limit *int, m *message.Message) bool {
		return d.u.Role <= user.Moderator || limit == nil || d.now.Sub(m.SentAt) <= time.Duration(*limit)*time.Second
	}
	for _, s := range seen {
		m := message.Message{ID: s.ID, Sender: s.Sender, Topic: s.Topic, SentAt: time.Unix(s.SentAt, 0)}
		if len(s.Submessages) > 0 {
			m.Facts = message.HasWidget
		}
		var c *channel.Channel
		if s.Type == "stream" {
			m.Recipient, c = message.OfChannel(s.Channel), d.v.Channel(s.Channel)
		}
		changes := c == nil || permission.Reads(d.v, c, d.u) && !c.Archived
		d.add("react", changes, m.ID)
		// Clients do not offer what only the grace period permits.
		d.add("editMessage", changes && message.CheckEdit(d.v, d.u, &m, d.now.Add(message.Grace)) == nil, m.ID)
		d.add("deleteMessage", changes && message.CheckDelete(d.v, d.u, c, &m, d.now) == nil, m.ID)
		// At the time of sending, no limit has passed.
		d.add("editMessageEver", changes && message.CheckEdit(d.v, d.u, &m, m.SentAt) == nil, m.ID)
		d.add("deleteMessageEver", changes && message.CheckDelete(d.v, d.u, c, &m, m.SentAt) == nil, m.ID)
		d.add("renameTopicOf", c != nil && changes && message.MayRename(d.v, d.u, c, true) &&
			inTime(settings.MoveMessagesWithinStreamLimit, &m), m.ID)
		d.add("moveMessage", c != nil && changes && message.MayMoveOut(d.v, d.u, c) &&
			inTime(settings.MoveMessagesBetweenStreamsLimit, &m), m.ID)
	}
}

func (d decider) groups() {
	member := !d.u.IsGuest() // the routes refuse guests
	for g := range d.v.Groups() {
		d.add("manageGroup", member && permission.Manages(d.v, g, d.u.ID), g.ID)
		d.add("addToGroup", member && !g.System && permission.AddsTo(d.v, g, d.u.ID), g.ID)
		d.add("joinGroup", member && !g.System && permission.Joins(d.v, g, d.u.ID), g.ID)
		d.add("removeFromGroup", member && !g.System && permission.RemovesFrom(d.v, g, d.u.ID), g.ID)
		d.add("leaveGroup", member && !g.System && permission.Leaves(d.v, g, d.u.ID), g.ID)
		d.add("mentionGroup", permission.MentionsGroup(d.v, g, d.u.ID), g.ID)
	}
}

func (d decider) people() {
	before := d.u.ID
	for u := range d.v.Users() {
		if u.System {
			continue
		}
		for _, begun := range []bool{false, true} {
			for _, to := range []user.Set{{u.ID}, idset.Of(u.ID, before)} {
				allowed := message.CheckDirect(d.v, d.u, to.Union(user.Set{d.u.ID}), func() (bool, error) { return begun, nil })
				d.add("message", allowed == nil, to, begun)
			}
		}
		before = u.ID
		if !permission.Sees(d.v, d.u, u.ID) {
			continue
		}
		changes := permission.ChangesUser(d.u, u)
		d.add("seeEmail", permission.SeesEmail(d.u, u), u.ID)
		d.add("changePerson", changes, u.ID)
		d.add("deactivatePerson", changes && permission.Outranks(d.u, u), u.ID)
		for _, to := range []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Guest} {
			d.add("changeRole", permission.Promotes(d.u, u, to), u.ID, to)
		}
		d.add("manageBot", permission.CheckManagesBot(d.u, u) == nil, u.ID)
	}
}
