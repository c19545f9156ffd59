package exports_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	domainrealm "github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

// demoServer is the demo organization with a client for each user.
type demoServer struct {
	t      *testing.T
	s      *kittest.Server
	l      *inspector
	realm  domainrealm.ID
	people map[string]*kittest.Client
	ids    map[string]user.ID
}

func startDemo(t *testing.T) *demoServer {
	t.Helper()
	s, l := startAll(t, "modules: {realm: {domain: 127.0.0.1}}")
	p := &demoServer{t: t, s: s, l: l, people: map[string]*kittest.Client{}, ids: map[string]user.ID{}}
	s.Do(func(ctx context.Context) error {
		var err error
		p.realm, err = s.Ports.Realms.Create(ctx, "Zulip Dev", "zulipdev")
		return err
	})
	server := user.Actor{Realm: p.realm, System: true}
	_, err := s.Ports.Accounts.Create(
		t.Context(),
		server,
		ports.NewUser{Email: "desdemona@zulip.com", FullName: "Desdemona", Role: user.Owner},
	)
	p.must(err)
	p.must(s.Ports.Demo.Fill(t.Context(), p.realm))
	v, err := s.Ports.Directory.View(t.Context(), p.realm)
	p.must(err)
	for u := range v.Users() {
		if u.IsBot() {
			continue
		}
		key, err := s.Ports.Accounts.IssueKey(t.Context(), server, u.ID)
		p.must(err)
		name, _, _ := strings.Cut(strings.ToLower(u.DeliveryEmail), "@")
		p.people[name], p.ids[name] = s.WithKey(u.DeliveryEmail, key).At("zulipdev.127.0.0.1"), u.ID
	}
	return p
}

func (p *demoServer) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// send sends a message and returns its id.
func (p *demoServer) send(who, kind string, to any, text string) float64 {
	p.t.Helper()
	b, err := json.Marshal(to)
	p.must(err)
	return float64(
		p.people[who].Do("POST /messages", "type", kind, "to", string(b), "topic", "extra", "content", text).
			OK().
			Int("id"),
	)
}

// received returns the ids of the messages that the API returns to a user.
func (p *demoServer) received(who string, narrow string) map[float64]bool {
	p.t.Helper()
	var answer struct {
		Messages []struct{ ID float64 }
		Oldest   bool `json:"found_oldest"`
	}
	p.people[who].Do("GET /messages", "anchor", "newest", "num_before", "5000", "num_after", "0", "narrow", narrow).
		OK().
		JSON(&answer)
	if !answer.Oldest {
		p.t.Fatal("more messages than one API answer contains")
	}
	out := map[float64]bool{}
	for _, m := range answer.Messages {
		out[m.ID] = true
	}
	return out
}

const public = `[{"operator":"channels","operand":"public"}]`

// extend adds data that the demo does not contain: private files and texts, edits, a channel with protected history,
// and secrets.
func (p *demoServer) extend() (early, late float64) {
	p.t.Helper()
	upload := func(who, text string) string {
		url := p.people[who].Upload("POST /user_uploads", text+".txt", []byte("content of "+text)).OK().String("url")
		return "[" + text + "](" + url + ")"
	}
	hamlet, othello, owner := p.people["hamlet"], p.people["othello"], p.people["desdemona"]
	edited := p.send("hamlet", "channel", "Verona", "the first words "+upload("hamlet", "openfile"))
	hamlet.Do(fmt.Sprintf("PATCH /messages/%.0f", edited), "content", "other words "+upload("hamlet", "otherfile")).OK()
	hamlet.Do(fmt.Sprintf("POST /messages/%.0f/reactions", edited), "emoji_name", "tada").OK()
	p.send("hamlet", "direct", []user.ID{p.ids["cordelia"]}, "whispered "+upload("hamlet", "hushfile"))
	p.send("iago", "channel", "core team", "coreword "+upload("iago", "corefile"))
	upload("othello", "ownfile")
	hamlet.Do("POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"hamletdraft"}]`).OK()
	othello.Do("POST /drafts", "drafts", `[{"type":"","to":[],"topic":"","content":"othellodraft"}]`).OK()
	hamlet.Do("PATCH /settings", "email_address_visibility", "4").OK()
	owner.Upload("POST /realm/emoji/stage", "a.png", kittest.PNG(4, 4)).OK()
	owner.Do("POST /bots", "full_name", "Caller", "short_name", "caller", "bot_type", "3", "service_name", "s",
		"payload_url",
		`"https://example.com/"`).
		OK()
	owner.Do("POST /invites/multiuse").OK()

	p.people["aaron"].Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "invite_only", "true",
		"history_public_to_subscribers", "false").OK()
	early = p.send("aaron", "channel", "cellar", "before he came")
	p.people["aaron"].Do("POST /users/me/subscriptions", "subscriptions", `[{"name":"cellar"}]`, "principals",
		fmt.Sprintf("[%d]", p.ids["othello"])).OK()
	return early, p.send("aaron", "channel", "cellar", "after he came")
}

// An archive of the demo organization contains the data that the API returns, private data only of users who consent,
// and no secrets.
func TestDemo(t *testing.T) {
	p := startDemo(t)
	early, late := p.extend()
	owner := p.people["desdemona"]
	p.people["othello"].Do("PATCH /settings", "allow_private_data_export", "true").OK()
	p.must(p.l.Settings.Set(t.Context(), p.realm, "owner_full_content_access", true))
	all := map[float64]bool{}
	for who := range p.people {
		maps.Copy(all, p.received(who, "[]"))
	}
	open := p.received("desdemona", public)
	maps.Copy(all, open)
	consented := maps.Clone(open)
	maps.Copy(consented, p.received("othello", "[]"))
	if consented[early] || !consented[late] || len(consented) <= len(open) || len(all) <= len(consented) {
		t.Fatalf("%d of %d of %d messages: nothing to distinguish", len(open), len(consented), len(all))
	}
	words := []string{"hushfile", "hamletdraft", "coreword", "corefile", "whispered"}
	for _, c := range []struct {
		kind     string
		messages map[float64]bool
		has, not []string
	}{
		{
			"public", open, []string{"openfile"},
			append(words, "othellodraft", "ownfile", "cellar", "core team", "hamlet@zulip.com"),
		},
		{"full_with_consent", consented, []string{"openfile", "othellodraft", "ownfile", "cellar", "othello@zulip.com"},
			append(words, "core team", "hamlet@zulip.com")},
		{
			"full_without_consent", all,
			append(words, "othellodraft", "ownfile", "openfile", "cellar", "core team", "hamlet@zulip.com"), nil,
		},
	} {
		t.Run(c.kind, func(t *testing.T) {
			u := export(t, p.s.In(t), owner, "export_type", c.kind)
			checkMessages(t, p, u, c.messages)
			checkRecords(t, p, u)
			checkLines(t, p, u)
			for _, word := range c.has {
				if !strings.Contains(u.text, word) {
					t.Errorf("%q is not in the archive", word)
				}
			}
			for _, word := range append(c.not, p.secrets()...) {
				if strings.Contains(u.text, word) {
					t.Errorf("%q is in the archive", word)
				}
			}
			for _, a := range u.lines["attachments"] {
				name := strings.TrimSuffix(a["name"].(string), ".txt")
				if content := u.files[a["file"].(string)]; string(content) != "content of "+name {
					t.Errorf("%s has the content %q", name, content)
				}
			}
		})
	}
	iago := p.people["iago"]
	iago.Do("POST /export/realm", "export_type", "full_without_consent").
		Error(400, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner")
	if a := iago.Do("GET /export/realm").OK(); a.Get("exports.1.export_url") == nil ||
		a.Get("exports.2.export_url") != nil {
		t.Errorf("an administrator who is not an owner got %s", a.Body)
	}
	url := owner.Do("GET /export/realm").OK().String("exports.2.export_url")
	_, path, _ := strings.Cut(url, "/exports/")
	iago.Under("").Do("GET /exports/"+path).Error(404, "NOT_FOUND", "There is no such file")
}

// checkMessages compares the messages with those of the API.
func checkMessages(t *testing.T, p *demoServer, u contents, want map[float64]bool) {
	t.Helper()
	got := u.ids("messages", "id")
	if len(got) != len(u.lines["messages"]) {
		t.Errorf("%d lines for %d messages", len(u.lines["messages"]), len(got))
	}
	for id := range want {
		if got[id] == nil {
			t.Errorf("message %.0f is not in the archive", id)
		}
	}
	edits, reactions := 0, 0
	for id, m := range got {
		if !want[id] {
			t.Errorf("message %.0f should not be in the archive: %v", id, m)
		}
		if list, _ := m["edits"].([]any); len(list) > 0 && list[0].(map[string]any)["prev_content"] != "" {
			edits++
		}
		if list, _ := m["reactions"].([]any); len(list) > 0 {
			reactions++
		}
	}
	if edits != 1 || reactions != 1 {
		t.Errorf("%d messages with edits, %d with reactions", edits, reactions)
	}
	var api struct {
		Messages []struct {
			ID      float64
			Content string
			Sender  float64 `json:"sender_id"`
			Topic   string  `json:"subject"`
		}
	}
	p.people["desdemona"].Do("GET /messages", "anchor", "newest", "num_before", "500", "num_after", "0", "narrow", public,
		"apply_markdown", "false").
		OK().
		JSON(&api)
	for _, m := range api.Messages {
		if a := got[m.ID]; a != nil &&
			(a["content"] != m.Content || a["sender_id"] != m.Sender || a["topic"] != m.Topic) {
			t.Errorf("message %.0f is %v, want %+v", m.ID, a, m)
		}
	}
}

// checkRecords compares users, channels and subscriptions with those of the API.
func checkRecords(t *testing.T, p *demoServer, u contents) {
	t.Helper()
	owner := p.people["desdemona"]
	var api struct {
		Members []struct {
			ID   float64 `json:"user_id"`
			Name string  `json:"full_name"`
			Role float64
		}
		Streams []struct {
			ID   float64 `json:"stream_id"`
			Name string
			Text string `json:"description"`
			Only bool   `json:"invite_only"`
		}
	}
	owner.Do("GET /users").OK().JSON(&api)
	users := u.ids("users", "id")
	for _, m := range api.Members {
		if a := users[m.ID]; a == nil || a["full_name"] != m.Name || a["role"] != m.Role {
			t.Errorf("user %.0f is %v, want %+v", m.ID, a, m)
		}
	}
	if len(api.Members) < 10 || len(users) < len(api.Members) {
		t.Errorf("%d users, want %d as in the API", len(users), len(api.Members))
	}
	owner.Do("GET /streams", "include_all", "true").OK().JSON(&api)
	channels := u.ids("channels", "id")
	members := map[float64][]float64{}
	for _, one := range u.lines["subscriptions"] {
		if one["active"] == true {
			members[one["channel_id"].(float64)] = append(
				members[one["channel_id"].(float64)],
				one["user_id"].(float64),
			)
		}
	}
	for _, c := range api.Streams {
		a := channels[c.ID]
		if a == nil && c.Only {
			continue // checked by its name
		}
		if a == nil || a["name"] != c.Name || a["description"] != c.Text || a["private"] != c.Only {
			t.Errorf("channel %.0f is %v, want %+v", c.ID, a, c)
		}
		var in struct{ Subscribers []float64 }
		p.people["aaron"].Do(fmt.Sprintf("GET /streams/%.0f/members", c.ID)).JSON(&in)
		slices.Sort(members[c.ID])
		slices.Sort(in.Subscribers)
		if len(in.Subscribers) > 0 && !slices.Equal(in.Subscribers, members[c.ID]) {
			t.Errorf("%s has the subscribers %v, want %v", c.Name, members[c.ID], in.Subscribers)
		}
	}
	if len(u.lines["realms"]) != 1 || len(u.lines["custom_emoji"]) != 1 || len(u.lines["profile_fields"]) < 9 {
		t.Error("the organization, its emoji or its profile fields are missing")
	}
}

// checkLines checks that lines have only documented keys, and that the files exist.
func checkLines(t *testing.T, p *demoServer, u contents) {
	t.Helper()
	for _, declared := range p.l.Collected.Tables() {
		documented := declared.LineKeys()
		for _, line := range u.lines[declared.Name] {
			for key := range line {
				if !slices.Contains(documented, key) {
					t.Errorf("a line of %s has the key %s", declared.Name, key)
				}
			}
			if name, names := line["file"]; names && u.files[name.(string)] == nil {
				t.Errorf("%s names %v, which is not in the archive", declared.Name, name)
			}
		}
	}
	for _, picture := range u.lines["images"] {
		if !bytes.HasPrefix(u.files[picture["file"].(string)], []byte("\x89PNG")) {
			t.Errorf("%v is not an image", picture)
		}
	}
	if len(u.lines["images"]) == 0 || u.about["missing_files"] != float64(0) {
		t.Errorf("no images, or files are missing: %v", u.about)
	}
}

// secrets returns the values from the database that must not occur in any archive.
func (p *demoServer) secrets() []string {
	p.t.Helper()
	var all []string
	for _, column := range []string{
		"user_passwords.hash", "api_keys.hash", "api_keys.sealed", "invites.nonce", "invite_secret.secret",
		"confirmations.nonce",
		"confirmation_secret.secret", "channel_addresses.token", "bots.service_token", "upload_secret.secret",
		"exports.token", "sessions.hash", "login_tokens.hash",
	} {
		table, name, _ := strings.Cut(column, ".")
		var found []string
		p.must(p.l.DB.From(p.t.Context()).NewSelect().Table(table).Column(name).Scan(p.t.Context(), &found))
		for _, text := range found {
			if len(text) >= 8 {
				all = append(all, text)
			}
		}
	}
	for _, c := range p.people {
		all = append(all, c.Key())
	}
	if len(all) < 20 {
		p.t.Fatalf("only %d secrets", len(all))
	}
	return all
}
