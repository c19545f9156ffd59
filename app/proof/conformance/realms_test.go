package conformance_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/declared"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

// place is one of two realms with equal content: users, channels, groups and so on have the same names and addresses.
type place struct {
	realm realm.ID
	olga  *kittest.Client // its owner
	ids   map[string]string
}

const elsewhere = "skeptics.127.0.0.1"

// twoRealms returns kittest's realm and a second one like it.
func twoRealms(t *testing.T) (*kittest.Server, *place, *place) {
	t.Helper()
	s, here := oneRealm(t)
	there := anotherRealm(t, s)
	here.settle()
	there.settle()
	for kind, id := range here.ids {
		if there.ids[kind] == id {
			t.Fatalf("%s is %s in both realms, so the test cannot distinguish them", kind, id)
		}
	}
	return s, here, there
}

// oneRealm starts a server that supports several realms.
func oneRealm(t *testing.T, more ...kit.Module) (*kittest.Server, *place) {
	t.Helper()
	s := start(t, kittest.Options{Config: `modules: {realm: {domain: 127.0.0.1}, channels: ` +
		`{email_gateway_pattern: "%s@mail.example.com"}}`}, append(append(harness.AllModules(), mottoes), more...)...)
	s.Ports.Mailer.(*mailtest.Quiet).On.Store(true)
	return s, &place{realm: s.Realm, olga: s.As("olga")}
}

// mottoes is a module with a setting, so that the table of settings that modules declare has rows.
var mottoes = kit.Define("mottoes", "Declares a setting.", kit.None{},
	func(kit.None, struct{ fx.In }) (kit.Parts, error) {
		motto := declared.ForUser("own_motto", declared.Text("", 100), "My motto", "The motto of the user.")
		return kit.Parts{Settings: []declared.Any{motto}}, nil
	})

// anotherRealm creates a realm with users and channels.
func anotherRealm(t *testing.T, s *kittest.Server) *place {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	there := &place{}
	var err error
	there.realm, err = s.Ports.Realms.Create(t.Context(), "Stoics", "skeptics")
	must(err)
	by := user.Actor{Realm: there.realm, System: true}
	for _, p := range []ports.NewUser{{Email: "alice@example.com", FullName: "Alice", Role: user.Member},
		{Email: "olga@example.com", FullName: "Olga", Role: user.Owner, Password: kittest.Password}} {
		id, err := s.Ports.Accounts.Create(t.Context(), by, p)
		must(err)
		key, err := s.Ports.Accounts.IssueKey(t.Context(), by, id)
		must(err)
		there.olga = s.WithKey(p.Email, key).At(elsewhere)
	}
	there.olga.Do("PATCH /realm", "send_channel_events_messages", "false").OK()
	there.olga.Do("POST /users/me/subscriptions", "subscriptions",
		`[{"name":"general"},{"name":"more"},{"name":"and more"}]`).OK()
	return there
}

// settle creates one object of every type that has an ID. Texts that must not leak contain a canary.
func (p *place) settle() {
	o := p.olga
	id := func(a *kittest.Response, path string) string { return fmt.Sprint(a.OK().Get(path)) }
	alice := id(o.Do("GET /users/alice@example.com"), "user.user_id")
	o.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"plaza","description":"canary"}]`, "principals",
		`["alice@example.com","olga@example.com"]`).OK()
	channel := id(o.Do("GET /get_stream_id", "stream", "plaza"), "stream_id")
	first := id(o.Do("POST /user_groups/create", "name", "first", "description", "", "members", "[]"), "group_id")
	o.Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"mods"}]`, "invite_only", "true").OK()
	o.Do("PATCH /realm", "moderation_request_channel_id",
		id(o.Do("GET /get_stream_id", "stream", "mods"), "stream_id")).OK()
	group := id(o.Do("POST /user_groups/create", "name", "circle", "description", "canary", "members", "["+alice+"]"),
		"group_id")
	if p.realm > 1 { // makes IDs differ between realms
		o.Do("POST /realm/filters", "pattern", "X(?P<n>[0-9]+)", "url_template", "https://x.example.com/{n}").OK()
		o.Do("POST /channel_folders/create", "name", "first", "description", "").OK()
	}
	say := func() string {
		return id(o.Do("POST /messages", "type", "channel", "to", channel, "topic", "canary", "content", "canary"), "id")
	}
	message := say()
	o.Do("POST /messages/"+message+"/reactions", "emoji_name", "tada").OK()
	bot := func(name string) string {
		return id(o.Do("POST /bots", "full_name", name, "short_name", name), "user_id")
	}
	pick := func(list, path string) string { // for lists whose last object is the newest
		n := -1
		for a := o.Do("GET " + list).OK(); a.Has(strings.Replace(path, "#", fmt.Sprint(n+1), 1)); n++ {
		}
		return id(o.Do("GET "+list), strings.Replace(path, "#", fmt.Sprint(n), 1))
	}
	if p.realm > 1 {
		o.Do("POST /default_stream_groups/create", "group_name", "first", "description", "", "stream_names",
			`["general"]`).OK()
		o.Do("POST /realm/profile_fields", "field_type", "1", "name", "first").OK()
		o.Do("POST /realm/playgrounds", "name", "first", "pygments_language", "Go", "url_template",
			"https://first.example.com/{code}").OK()
		o.Do("POST /invites/multiuse").OK()
		o.Do("POST /invites", "invitee_emails", "first@example.com", "stream_ids", "[]").OK()
	}
	o.Do("POST /default_stream_groups/create", "group_name", "canary", "description", "", "stream_names", `["plaza"]`).OK()
	groups := o.Do("POST /register", "fetch_event_types", `["default_stream_groups"]`).OK()
	o.Do("POST /invites", "invitee_emails", "canary@example.com", "stream_ids", "[]").OK()
	letter := pick("/invites", "invites.#.id")
	o.Do("POST /invites/multiuse").OK()
	p.ids = map[string]string{
		"bot": bot("canary"), "playground": id(o.Do("POST /realm/playgrounds", "name", "canary", "pygments_language", "Go",
			"url_template", "https://canary.example.com/{code}"), "id"),
		"letter": letter, "link": pick("/invites", "invites.#.id"),
		"defaults": id(groups, fmt.Sprintf("realm_default_stream_groups.%d.id", p.realm-1)),
		"first":    first, "user": alice, "channel": channel, "group": group, "message": message,
		"filter": id(o.Do("POST /realm/filters", "pattern", "#(?P<n>[0-9]+)", "url_template",
			"https://canary.example.com/{n}"), "id"),
		"folder": id(o.Do("POST /channel_folders/create", "name", "canary", "description", ""), "channel_folder_id"),
		"queue":  id(o.Do("POST /register"), "queue_id"),

		"field":   id(o.Do("POST /realm/profile_fields", "field_type", "1", "name", "canary"), "id"),
		"friends": id(o.Do("POST /realm/profile_fields", "field_type", "6", "name", "friends"), "id"),
	}
}

// nowhere lists IDs of objects that do not exist.
var nowhere = map[string]string{
	"user": "999999", "channel": "999999", "group": "999999", "message": "999999", "filter": "999999", "folder": "999999",
	"bot": "999999", "field": "999999", "letter": "999999", "link": "999999", "defaults": "999999", "playground": "999999",
	"queue": "00000000-0000-4000-8000-000000000000",
}

// withID lists requests that contain the ID of an object, given in braces. Requests that delete or deactivate something
// come last. * marks requests whose response does not depend on whether the object exists. Requests without an ID
// revert earlier changes.
var withID = []string{
	"GET /users/{user}",
	"GET /users?user_ids=[{user}]",
	"GET /users/{user}/channels",
	"GET /users/{user}/subscriptions/{channel}",
	"GET /streams/{channel}",
	"GET /streams/{channel}/members",
	"GET /users/me/{channel}/topics",
	"GET /messages/{message}",
	"GET /messages/{message}/history",
	"GET /messages/{message}/read_receipts",
	`GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"id","operand":{message}}]`,
	`GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"with","operand":{message}}]`,
	`GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"channel","operand":{channel}}]`,
	`* GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"sender","operand":{user}}]`,
	`* GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"dm","operand":[{user}]}]`,
	`* GET /messages?anchor=newest&num_before=10&num_after=0&narrow=[{"operator":"dm-including","operand":[{user}]}]`,
	`GET /messages?message_ids=[{message}]`,
	`GET /messages/matches_narrow?msg_ids=[{message}]&narrow=[]`,
	"GET /user_groups/{group}/members",
	"GET /user_groups/{group}/members/{user}",
	"GET /user_groups/{group}/subgroups",
	"GET /events?queue_id={queue}&last_event_id=-1&dont_block=true",
	`POST /messages type=channel&to={channel}&topic=t&content=x`,
	`POST /messages type=direct&to=[{user}]&content=x`,
	`POST /messages/render content=@**|{user}** @**Alice|{user}**`,
	`POST /messages/{message}/reactions emoji_name=heart`,
	`DELETE /messages/{message}/reactions emoji_name=heart`,
	`POST /messages/{message}/report report_type=spam`,
	`PATCH /messages/{message} content=changed`,
	`PATCH /messages/{message} topic=moved&stream_id={channel}`,
	`* POST /messages/flags messages=[{message}]&op=add&flag=starred`,
	`POST /messages/flags/narrow ` +
		`anchor=newest&num_before=5&num_after=0&op=add&flag=starred&narrow=[{"operator":"channel","operand":{channel}}]`,
	`POST /mark_stream_as_read stream_id={channel}`,
	`POST /mark_topic_as_read stream_id={channel}&topic_name=canary`,
	`POST /user_topics stream_id={channel}&topic=t&visibility_policy=3`,
	`PATCH /users/me/subscriptions/muted_topics stream_id={channel}&topic=u&op=add`,
	`PATCH /users/me/subscriptions/{channel} property=pin_to_top&value=true`,
	`POST /users/me/subscriptions/properties subscription_data=[{"stream_id":{channel},"property":"pin_to_top",` +
		`"value":true}]`,
	`POST /users/me/subscriptions subscriptions=[{"name":"plaza"}]&principals=[{user}]`,
	`POST /users/me/subscriptions subscriptions=[{"name":"fresh"}]&can_send_message_group={group}`,
	`POST /users/me/subscriptions subscriptions=[{"name":"fresher"}]&folder_id={folder}`,
	`DELETE /users/me/subscriptions subscriptions=["plaza"]&principals=[{user}]`,
	`POST /channels/create name=made&subscribers=[{user}]&can_subscribe_group={"direct_members":[{user}],` +
		`"direct_subgroups":[{group}]}`,
	`PATCH /streams/{channel} description=changed&folder_id={folder}`,
	`PATCH /streams/{channel} can_administer_channel_group={"new":{"direct_members":[{user}],` +
		`"direct_subgroups":[{group}]}}`,
	`POST /default_streams stream_id={channel}`,
	`DELETE /default_streams stream_id={channel}`,
	`POST /users/me/muted_users/{user} `,
	`DELETE /users/me/muted_users/{user} `,
	`POST /user_groups/create name=g&description=&members=[{user}]`,
	`POST /user_groups/create name=h&description=&members=[]&subgroups=[{group}]`,
	`POST /user_groups/create name=i&description=&members=[]&can_join_group={group}`,
	`PATCH /user_groups/{group} description=changed&can_mention_group={"new":{"direct_members":[{user}],` +
		`"direct_subgroups":[]}}`,
	`POST /user_groups/{group}/members delete=[{user}]`,
	`POST /user_groups/{group}/members add=[{user}]`,
	`POST /user_groups/{first}/subgroups add=[{group}]`,
	`PATCH /realm new_stream_announcements_stream_id={channel}`,
	`PATCH /realm can_invite_users_group={"new":{"direct_members":[{user}],"direct_subgroups":[{group}]}}`,
	`PATCH /realm can_invite_users_group={"new":6}`,
	`PATCH /settings enter_sends=true&target_users={"user_ids":[{user}],"group_ids":[{group}]}`,
	`PATCH /channel_folders/{folder} description=changed`,
	`PATCH /realm/filters/{filter} pattern=Y(?P<n>[0-9]+)&url_template=https://canary.example.com/{n}`,
	`PATCH /realm/linkifiers ordered_linkifier_ids=[{filter}]`,
	`PATCH /realm/profile_fields/{field} name=changed`,
	`PATCH /realm/profile_fields order=[{friends},{field}]`,
	`PATCH /users/me/profile_data data=[{"id":{field},"value":"x"}]`,
	`PATCH /users/me/profile_data data=[{"id":{friends},"value":[{user}]}]`,
	`PATCH /users/{user} profile_data=[{"id":{field},"value":"x"}]`,
	`DELETE /users/me/profile_data data=[{field}]`,
	`DELETE /realm/profile_fields/{field} `,
	`POST /users/{user}/status status_text=canary`,
	`GET /users/{user}/status`,
	`PATCH /users/{user} full_name=Alicia`,
	`PATCH /users/alice@example.com full_name=Alice`,
	`DELETE /messages/{message} `,
	"GET /streams/{channel}/email_address",
	"GET /bots/{bot}/api_key",
	`PATCH /bots/{bot} full_name=other`,
	`PATCH /bots/{bot} bot_owner_id={user}`,
	`POST /bots/{bot}/api_key/regenerate `,
	"* GET /users/{user}/presence",
	`PATCH /default_stream_groups/{defaults} new_description=other`,
	`PATCH /default_stream_groups/{defaults}/streams op=add&stream_names=["mods"]`,
	`POST /invites invitee_emails=x@example.com&stream_ids=[{channel}]&group_ids=[{group}]`,
	`POST /invites/multiuse stream_ids=[{channel}]&group_ids=[{group}]`,
	`POST /invites/{letter}/resend `,
	`DELETE /invites/{letter} `,
	`DELETE /invites/multiuse/{link} `,
	`DELETE /default_stream_groups/{defaults} `,
	`DELETE /bots/{bot} `,
	`DELETE /realm/playgrounds/{playground} `,
	`POST /streams/{channel}/delete_topic topic_name=moved`,
	`DELETE /realm/filters/{filter} `,
	`DELETE /events queue_id={queue}`,
	`POST /user_groups/{group}/deactivate `,
	`DELETE /streams/{channel} `,
	`DELETE /users/{user} `,
	`POST /users/{user}/reactivate `,
}

// kinds maps path parameters to types of objects.
var kinds = map[string]string{
	":user_id": "user", ":muted_user_id": "user", ":bot_id": "bot", ":field_id": "field", ":group_id": "defaults",
	":stream_id": "channel", ":message_id": "message", ":user_group_id": "group",
	":filter_id": "filter", ":channel_folder_id": "folder",
}

// plain returns requests without parameters for the routes that the table above lacks. They may be refused for missing
// parameters.
func plain(t *testing.T, s *kittest.Server) []string {
	t.Helper()
	var all []string
	for _, e := range s.Ports.Collected.Endpoints {
		if e.Call == nil || !strings.Contains(e.Path, "_id") {
			continue
		}
		any := regexp.MustCompile("^" + regexp.MustCompile(`:[a-z_+]+`).ReplaceAllString(e.Method+" "+e.Path, `\{[a-z]+\}`) +
			"( |$)")
		if slices.ContainsFunc(withID, any.MatchString) {
			continue
		}
		segs := strings.Split(e.Path, "/")
		for i, seg := range segs {
			if kind := kinds[seg]; kind != "" {
				segs[i] = "{" + kind + "}"
			} else if strings.HasPrefix(seg, ":") {
				t.Logf("%s %s: %s was not tried", e.Method, e.Path, seg)
			}
		}
		all = append(all, "* "+e.Method+" "+strings.Join(segs, "/")+" ")
	}
	return all
}

// ask sends a request as the realm's owner, with the given ID for one type of object and the realm's own IDs for the
// others. In the response it replaces IDs by their types, so that responses can be compared.
func (p *place) ask(request, kind, id string) string {
	text := request
	for k, own := range p.ids {
		if k == kind {
			own = id
		}
		text = strings.ReplaceAll(text, "{"+k+"}", own)
	}
	method, rest, _ := strings.Cut(text, " ")
	path, form, _ := strings.Cut(rest, " ")
	var params []string
	if at, query, ok := strings.Cut(path, "?"); ok {
		path, form = at, query
	}
	for part := range strings.SplitSeq(form, "&") {
		if name, value, ok := strings.Cut(part, "="); ok {
			params = append(params, name, value)
		}
	}
	a := p.olga.Do(method+" "+path, params...)
	return fmt.Sprint(a.Status, " ", regexp.MustCompile(`\b`+id+`\b`).ReplaceAllString(a.Body, "ID"))
}

// TestRealmsAreIsolated checks that an object of one realm does not exist in another: the response is that for a
// missing object and reveals nothing about the object, and nothing changes.
func TestRealmsAreIsolated(t *testing.T) {
	s, here, there := twoRealms(t)
	head := func() event.Seq {
		_, seq, err := s.Ports.Reader.After(t.Context(), there.realm, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Ports.Directory.Verified(t.Context(), there.realm)
		if err != nil {
			t.Fatal(err)
		}
		return max(seq, event.Seq(v.Seq()))
	}
	everything := func() string {
		a := there.olga.Do("POST /register", "include_subscribers", "true", "client_capabilities",
			`{"archived_channels":true,"include_deactivated_groups":true}`).OK()
		there.olga.Do("DELETE /events", "queue_id", a.String("queue_id")).OK()
		return strings.ReplaceAll(a.Body, a.String("queue_id"), "QUEUE")
	}
	before, at := everything(), head()
	for _, line := range slices.Concat(plain(t, s), withID) {
		request, same := strings.CutPrefix(line, "* ")
		if !strings.Contains(request, "{") || strings.Contains(request, `{"new":6}`) { // a request that reverts a setting
			here.ask(request, "", "-")
			continue
		}
		for _, kind := range []string{"user", "channel", "group", "message", "filter", "folder", "queue", "bot", "field",
			"letter", "link", "defaults", "playground"} {
			if !strings.Contains(request, "{"+kind+"}") {
				continue
			}
			foreign := here.ask(request, kind, there.ids[kind])
			nothing := here.ask(request, kind, nowhere[kind])
			if foreign != nothing {
				t.Errorf("%s: the other realm's %s returns\n%s, and a missing object\n%s", request, kind, foreign, nothing)
			}
			if got := head(); got != at {
				t.Errorf("%s: the other realm has changed", request)
				at = got
			}
			if same {
				continue
			}
			if own := here.ask(request, kind, here.ids[kind]); own == nothing {
				t.Errorf("%s: the realm's own %s gets the same answer as a missing one: %s", request, kind, own)
			}
		}
	}
	if after := everything(); after != before {
		t.Errorf("the other realm has changed:\n%s\n%s", before, after)
	}
}
