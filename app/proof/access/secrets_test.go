package access_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
)

// secret is a unique word, and the rule for who may read it.
type secret struct {
	what string
	may  func(c *caller) bool
}

// oracle is a fixture with secrets, and with objects to request that contain them.
type oracle struct {
	*fixture
	secrets  map[string]secret // by word
	hashes   map[string]secret // secrets that are not words: keys, and encodings of words
	channels []object
	messages []object
	people   []object
	files    []object
	asking   []*caller
	alice    *caller // a member with whom olga shares what nobody else may read
	faulty   map[string]bool
	looked   int // number of responses and events searched
	round    int
}

// secretWord matches all secret words.
var secretWord = regexp.MustCompile(`(?i)zq[0-9]{4}`)

// hide returns a word that only some callers may read.
func (o *oracle) hide(what string, may func(*caller) bool) string {
	word := o.fresh()
	o.secrets[word] = secret{what, may}
	return word
}

// Rules that several secrets share. Callers of another realm, deactivated ones, and those not logged in can read
// nothing.
func nobody(*caller) bool      { return false }
func whoIsHere(c *caller) bool { return c.inRealm() }
func noGuest(c *caller) bool   { return c.inRealm() && !c.guest() }
func ofRole(r user.Role) func(*caller) bool {
	return func(c *caller) bool { return c.inRealm() && c.role <= r }
}
func adminsAnd(some ...string) func(*caller) bool {
	return func(c *caller) bool { return c.inRealm() && (c.admin() || only(some...)(c)) }
}
func only(some ...string) func(*caller) bool {
	return func(c *caller) bool {
		for _, name := range some {
			if c.name == name {
				return true
			}
		}
		return false
	}
}

// checkText reports secrets in a text that the caller must not read.
func (o *oracle) checkText(c *caller, where, text string) {
	o.t.Helper()
	o.looked++
	for _, at := range secretWord.FindAllStringIndex(text, -1) {
		word := strings.ToLower(text[at[0]:at[1]])
		s, known := o.secrets[word]
		if !known || c != nil && s.may(c) {
			continue
		}
		o.leaks(c, where, s.what, text, at[0])
	}
	for form, s := range o.hashes {
		if at := strings.Index(text, form); at >= 0 && (c == nil || !s.may(c)) {
			o.leaks(c, where, s.what, text, at)
		}
	}
}

// leaks reports each leak once.
func (o *oracle) leaks(c *caller, where, what, text string, at int) {
	o.t.Helper()
	who := "the log"
	if c != nil {
		who = c.name
	}
	if key := who + where + what; !o.faulty[key] {
		o.faulty[key] = true
		o.t.Errorf("%s learns of %s through %s: %.300s", who, what, where, text[max(0, at-140):min(len(text), at+140)])
	}
}

// newChannel creates a channel owned by olga, with a secret name and description.
func (o *oracle) newChannel(what string, may func(*caller) bool, params ...string) object {
	o.t.Helper()
	name := o.hide("the name of "+what, may)
	params = append(params, "principals", fmt.Sprintf("[%d,%d]", o.olga.id, o.alice.id), "announce", "true")
	o.do("POST /users/me/subscriptions", append([]string{"subscriptions",
		fmt.Sprintf(`[{"name":%q,"description":%q}]`, name, o.hide("the description of "+what, may))}, params...)...)
	id := fmt.Sprint(o.do("GET /get_stream_id", "stream", name).Int("stream_id"))
	o.channels = append(o.channels, object{map[string]string{"id": id, "stream_id": id, "name": "zq"}})
	return object{map[string]string{"id": id, "stream_id": id, "name": name}}
}

// talk sends messages with secret topics and texts to a channel, and edits and deletes some of them.
func (o *oracle) talk(what string, ch object, may func(*caller) bool) {
	o.t.Helper()
	id := ch.fields["id"]
	topic := o.hide("a topic of "+what, may)
	say := func(by *caller, text string) string {
		m := o.post(by, object{map[string]string{"stream_id": id, "topic": "zq"}}, "type", "channel", "to", id, "topic",
			topic, "content", text)
		if o.round == 1 || by == o.alice { // one of each kind is enough to request
			o.messages = append(o.messages, m)
		}
		return m.fields["id"]
	}
	first := say(o.alice, "@**all** "+o.hide("a text of "+what, may)+" [a](https://example.com/"+o.hide("a link of "+what,
		may)+")")
	edited := say(o.olga, o.hide("a text edited later in "+what, may))
	o.do("PATCH /messages/"+edited, "content", o.hide("an edited text of "+what, may))
	moved := say(o.olga, "moved")
	o.do("PATCH /messages/"+moved, "topic", o.hide("the new topic of a text in "+what, may))
	o.sends(what, may, say)
	gone := say(o.olga, o.hide("a deleted text of "+what, may))
	o.do("POST /messages/"+first+"/reactions", "emoji_name", "tada")
	o.do("POST /messages/flags", "messages", "["+first+"]", "op", "add", "flag", "starred")
	o.ask(o.alice, "POST /messages/"+first+"/report", "report_type", "other", "description",
		o.hide("a report from "+what, nobody)).OK()
	o.ask(o.alice, "POST /user_topics", "stream_id", id, "topic", o.hide("a topic that alice follows in "+what, nobody),
		"visibility_policy", "3").OK()
	o.do("DELETE /messages/" + gone)
}

// sends shares files with secret names and contents in a channel or direct conversation: a file that stays, and a file
// whose message is deleted.
func (o *oracle) sends(what string, may func(*caller) bool, say func(*caller, string) string) {
	o.t.Helper()
	say(o.alice, "[file]("+o.upload(o.alice, what, may)+")")
	gone := say(o.olga, "[file]("+o.upload(o.olga, "a deleted text of "+what, nobody)+")")
	o.do("DELETE /messages/" + gone)
}

// upload uploads a file and returns its URL.
func (o *oracle) upload(by *caller, where string, may func(*caller) bool) string {
	o.t.Helper()
	url := o.attachFile(by, o.hide("the name of a file in "+where, may)+".txt",
		o.hide("a file in "+where, may)).OK().String("url")
	if o.round == 1 {
		o.files = append(o.files, fileObject(url))
	}
	return url
}

// place creates secrets of every kind.
func (o *oracle) place() {
	o.t.Helper()
	o.round++
	o.placeChannels()
	o.placeDirect()
	o.placePeople()
	o.placeOwn()
	o.placeMore()
}

func (o *oracle) placeChannels() {
	o.t.Helper()
	private := []string{"invite_only", "true", "history_public_to_subscribers", "true"}
	vault := o.newChannel("a private channel", adminsAnd(), private...)
	o.talk("a private channel", vault, nobody)
	o.do("PATCH /streams/"+vault.fields["id"], "new_name", o.hide("the new name of a private channel", adminsAnd()),
		"description", o.hide("the new description of a private channel", adminsAnd()))
	o.do("PATCH /stoa/settings/channels/"+vault.fields["id"], "settings",
		fmt.Sprintf(`{"channel_motto":%q}`, o.hide("a setting of a private channel", adminsAnd())))

	den := o.newChannel("a channel that the moderator administers", adminsAnd("moderator"), append(private,
		"can_administer_channel_group", fmt.Sprintf(`{"direct_members":[%d],"direct_subgroups":[]}`,
			o.called("moderator").id))...)
	o.talk("a channel that the moderator administers", den, nobody)

	club := o.newChannel("the bots' channel", adminsAnd("bot owner", "bot", "webhook"), private...)
	o.join(club, []*caller{o.called("bot owner"), o.called("bot")})
	o.talk("the bots' channel", club, only("bot owner", "bot"))

	attic := o.newChannel("a channel with protected history", adminsAnd("member", "guest"), "invite_only", "true",
		"history_public_to_subscribers", "false")
	o.talk("protected history", attic, nobody)
	o.join(attic, []*caller{o.called("member"), o.called("guest")})
	o.talk("a channel with protected history since they came", attic, only("member", "guest"))

	exit := o.newChannel("a channel that the newcomer has left", adminsAnd("newcomer"), private...)
	o.join(exit, []*caller{o.called("newcomer")})
	o.talk("a channel that the newcomer has left", exit, nobody)
	o.leave(exit, []*caller{o.called("newcomer")})
	o.talk("a channel after the newcomer has left", exit, nobody)

	closed := o.newChannel("an archived private channel", adminsAnd(), private...)
	o.talk("an archived private channel", closed, nobody)
	o.do("DELETE /streams/" + closed.fields["id"])

	square := o.newChannel("a public channel", noGuest)
	o.talk("a public channel", square, noGuest)
	// This channel was public and is now private: only subscribers can read it.
	once := o.newChannel("a channel that was public", noGuest)
	topic := o.hide("a topic of a channel that was public", nobody)
	o.do("PATCH /streams/"+once.fields["id"], "is_private", "true", "history_public_to_subscribers", "true")
	o.messages = append(o.messages, o.post(o.olga,
		object{map[string]string{"stream_id": once.fields["id"], "topic": "zq"}},
		"type", "channel", "to", once.fields["id"], "topic", topic, "content",
		o.hide("a text of a channel that was public", nobody)))
	o.moved(square, vault)
}

// moved moves a public message to a private channel, where later texts about it are secret.
func (o *oracle) moved(from, to object) {
	o.t.Helper()
	m := o.post(o.olga, object{map[string]string{"stream_id": to.fields["id"], "topic": "zq"}}, "type", "channel", "to",
		from.fields["id"], "topic", "open", "content", "open")
	o.messages = append(o.messages, m)
	for _, c := range o.all {
		if c.inRealm() && !c.guest() && c.name != "webhook" {
			o.ask(c, "POST /messages/flags", "messages", "["+m.fields["id"]+"]", "op", "add", "flag", "starred").OK()
		}
	}
	o.do("PATCH /messages/"+m.fields["id"], "stream_id", to.fields["id"], "topic",
		o.hide("the new topic of a formerly public message", nobody), "propagate_mode", "change_all")
	o.do("PATCH /messages/"+m.fields["id"], "content", o.hide("the new text of a formerly public message", nobody))
}

func (o *oracle) placeDirect() {
	o.t.Helper()
	tell := func(by *caller, to string, text string) {
		m := o.post(by, object{map[string]string{"stream_id": o.fields["lobby"], "topic": "zq"}}, "type", "direct", "to", to,
			"content", text)
		o.messages = append(o.messages, m)
	}
	tell(o.alice, fmt.Sprintf("[%d]", o.olga.id), o.hide("a direct message", nobody))
	tell(o.olga, fmt.Sprintf("[%d]", o.olga.id), o.hide("a note to oneself", nobody))
	tell(o.olga, fmt.Sprintf("[%d,%d]", o.alice.id, o.called("member").id),
		o.hide("a message to the member and alice", only("member")))
	tell(o.called("bot"), fmt.Sprintf("[%d]", o.alice.id), o.hide("a bot's direct message", only("bot")))
	o.upload(o.alice, "no message", nobody)
	tell(o.alice, fmt.Sprintf("[%d]", o.olga.id), "[file]("+o.upload(o.alice, "a direct message", nobody)+")")
}

// writes sends a message to a public channel as a user who is not subscribed, so that it does not make users visible to
// each other.
func (o *oracle) writes(by *caller, asked bool) {
	o.t.Helper()
	m := o.post(by, object{map[string]string{"stream_id": o.fields["lobby"], "topic": "t"}},
		"type", "channel", "to", o.fields["lobby"], "topic", "t", "content", "@**all** plain")
	if asked && o.round == 1 { // one is enough to request
		o.messages = append(o.messages, m)
	}
}

func (o *oracle) placePeople() {
	o.t.Helper()
	seen := func(c *caller) bool { return c.inRealm() && !c.restricted }
	named := func(c *caller) bool { return seen(c) || c.spectator } // spectators see names but no addresses
	for visibility, may := range map[string]func(*caller) bool{
		"1": seen, "2": ofRole(user.Member), "3": ofRole(user.Admin), "4": nobody, "5": ofRole(user.Moderator),
	} {
		name := o.hide("the name of a hidden user", named)
		mail := o.hide("an address that is shown to "+visibility, may) + "@proof.example.com"
		created := o.do("POST /users", "email", mail, "full_name", "Ivan "+name, "password", kittest.Password)
		ivan := &caller{name: "ivan", role: user.Member, id: user.ID(created.Int("user_id")), mail: mail}
		key := o.s.Anonymous().Do("POST /fetch_api_key", "username", mail, "password",
			kittest.Password).OK().String("api_key")
		ivan.at = o.s.WithKey(mail, key)
		o.ask(ivan, "PATCH /settings", "email_address_visibility", visibility).OK()
		o.ask(ivan, "POST /messages", "type", "direct", "to", fmt.Sprintf("[%d]", o.alice.id), "content",
			o.hide("a direct message of his", nobody)).OK()
		sum := md5.Sum([]byte(mail))
		if visibility == "1" {
			o.hashes[hex.EncodeToString(sum[:])] = secret{"the picture of an address that is shown to all who are logged in",
				seen}
		}
		if visibility == "4" {
			o.hashes[hex.EncodeToString(sum[:])] = secret{"the picture of an address that is shown to nobody", nobody}
		}
		o.hashes[key] = secret{"an API key", nobody}
		o.writes(ivan, visibility == "1")
		id := fmt.Sprint(ivan.id)
		o.people = append(o.people, object{map[string]string{"id": id, "user_id": id, "muted_user_id": id,
			"mail": "zq@proof.example.com"}})
		o.do("PATCH /users/"+id, "full_name", "Ivan "+o.hide("the new name of a hidden user", named))
	}
	o.do("POST /user_groups/create", "name", o.hide("the name of a group", whoIsHere), "description", "", "members",
		fmt.Sprintf("[%d]", o.alice.id))
}
