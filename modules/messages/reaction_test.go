package messages_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/zulipnames"
)

// customs creates three custom emoji: 7 party; 8 old, which is deactivated; and 9, which overrides tada.
var customs = kit.Define("customs", "Emoji of a realm.", kit.None{}, func(kit.None, dbNeeds) (kit.Parts, error) {
	load := func(_ context.Context, _ realm.ID, b *directory.Builder) error {
		emoji.Shared.Put(b, emoji.NewIndex(
			&emoji.Custom{ID: 7, Name: "party"},
			&emoji.Custom{ID: 8, Name: "old", Deactivated: true},
			&emoji.Custom{ID: 9, Name: "tada"},
		))
		return nil
	}
	return kit.Parts{Directory: []directory.Part{{Name: "customs", Load: load}}}, nil
})

func react(s *kittest.Server, as string, id int64, params ...string) *kittest.Response {
	s.T.Helper()
	return s.As(as).Do(fmt.Sprintf("POST /messages/%d/reactions", id), params...)
}

func reactions(s *kittest.Server, as string, id int64) string {
	s.T.Helper()
	return kittest.JSON(s.As(as).Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.reactions"))
}

func TestReact(t *testing.T) {
	s := kittest.Start(t, messages.Module, customs)
	for _, c := range []struct{ name, code, kind, want, refused string }{
		{"thumbs_up", "", "", `thumbs_up 1f44d unicode_emoji`, ""},
		{"+1", "", "", `+1 1f44d unicode_emoji`, ""},
		{"octopus", "1f419", "unicode_emoji", `octopus 1f419 unicode_emoji`, ""},
		{"octopus", "1f419", "", `octopus 1f419 unicode_emoji`, ""},
		{"octopus", "", "unicode_emoji", `octopus 1f419 unicode_emoji`, ""},
		{"party", "", "", `party 7 realm_emoji`, ""},
		{"party", "7", "realm_emoji", `party 7 realm_emoji`, ""},
		{"tada", "", "", `tada 9 realm_emoji`, ""},
		{"tada", "1f389", "unicode_emoji", `tada 1f389 unicode_emoji`, ""},
		{"no such", "", "", "", "Emoji 'no such' does not exist"},
		{"old", "", "", "", "Emoji 'old' does not exist"},
		{"old", "8", "realm_emoji", "", "This custom emoji has been deactivated."},
		{"party", "77", "realm_emoji", "", "Invalid custom emoji."},
		{"party", "07", "realm_emoji", "", "Invalid custom emoji."},
		{"party2", "7", "realm_emoji", "", "Invalid custom emoji name."},
		{"octopus", "1f41", "unicode_emoji", "", "Invalid emoji code."},
		{"octopus", "1F419", "unicode_emoji", "", "Invalid emoji code."},
		{"heart", "1f419", "unicode_emoji", "", "Invalid emoji name."},
		{"zulip", "", "", `zulip zulip service_extra_emoji`, ""},
		{"zulip", "zulip", "service_extra_emoji", `zulip zulip service_extra_emoji`, ""},
		{"zulip", "zulip", "zulip_extra_emoji", `zulip zulip service_extra_emoji`, ""},
		{"zulip", "zulip", "", `zulip zulip service_extra_emoji`, ""},
		{"octopus", "octopus", "zulip_extra_emoji", "", "Invalid emoji code."},
		{"octopus", "zulip", "zulip_extra_emoji", "", "Invalid emoji name."},
		{"zulip", "zulip", "unicode_emoji", "", "Invalid emoji code."},
		{"heart", "2764", "smiley", "", "Invalid emoji type."},
	} {
		id := post(s, "alice", "general", "x", "x")
		s.Skip()
		params := []string{"emoji_name", c.name}
		if c.code != "" {
			params = append(params, "emoji_code", c.code)
		}
		if c.kind != "" {
			params = append(params, "reaction_type", c.kind)
		}
		a := react(s, "bob", id, params...)
		if c.refused != "" {
			a.Error(400, "BAD_REQUEST", c.refused)
			s.NoEvents()
			continue
		}
		a.Is(200, `{"result":"success","msg":""}`)
		var name, code, kind string
		if _, err := fmt.Sscan(c.want, &name, &code, &kind); err != nil {
			t.Fatal(err)
		}
		if got, want := reactions(s, "alice", id),
			fmt.Sprintf(`[{"emoji_code":%q,"emoji_name":%q,"reaction_type":%q,"user_id":%d}]`, code, name, kind,
				s.UserID("bob")); got != want {
			t.Errorf("%v: %s, want %s", params, got, want)
		}
	}
	id := post(s, "alice", "general", "x", "x")
	react(s, "bob", id).Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'emoji_name' argument")
	s.As("bob").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id)).
		Error(400, "BAD_REQUEST", "At least one of the following arguments must be present: emoji_name, emoji_code")
}

// Repeating an existing reaction uses the existing name.
func TestUpvote(t *testing.T) {
	s := kittest.Start(t, messages.Module, customs)
	id := post(s, "alice", "general", "x", "x")
	react(s, "alice", id, "emoji_name", "+1").OK()
	react(s, "bob", id, "emoji_name", "whatever", "emoji_code", "1f44d", "reaction_type", "unicode_emoji").OK()
	want := fmt.Sprintf(`[{"emoji_code":"1f44d","emoji_name":"+1","reaction_type":"unicode_emoji","user_id":%d},`+
		`{"emoji_code":"1f44d","emoji_name":"+1","reaction_type":"unicode_emoji","user_id":%d}]`,
		s.UserID("alice"), s.UserID("bob"))
	if got := reactions(s, "olga", id); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	react(s, "bob", id, "emoji_name", "thumbs_up").Is(400,
		`{"result":"error","code":"REACTION_ALREADY_EXISTS","msg":"Reaction already exists."}`)
	path := fmt.Sprintf("DELETE /messages/%d/reactions", id)
	s.As("alice").Do(path, "emoji_code", "1f44d").OK()
	s.As("alice").Do(path, "emoji_code", "1f44d").Is(400,
		`{"result":"error","code":"REACTION_DOES_NOT_EXIST","msg":"Reaction doesn't exist."}`)
	s.As("bob").Do(path, "emoji_name", "+1").OK()
	if got := reactions(s, "olga", id); got != "[]" {
		t.Errorf("taken back: %s", got)
	}
}

// TestExtraEmoji checks that clients can use either name of the type extra emoji when they react, and that answers and
// events use the name that the reader's client uses.
func TestExtraEmoji(t *testing.T) {
	s := startFull(t, zulipnames.Module)
	spelled := map[string]string{"ZulipFlutter/30.0": "zulip_extra_emoji", "stoa-client/1.0": "service_extra_emoji"}
	id := post(s, "alice", "general", "x", "x")
	queues := map[string]*queue{}
	for agent := range spelled {
		q := s.As("alice").Agent(agent).Register("event_types", `["reaction"]`, "fetch_event_types", "[]")
		queues[agent] = &queue{q, s}
	}
	for agent, kind := range spelled {
		params := []string{"emoji_name", "zulip", "emoji_code", "zulip", "reaction_type", kind}
		path := fmt.Sprintf("/messages/%d/reactions", id)
		bob := s.As("bob").Agent(agent)
		bob.Do("POST "+path, params...).OK()
		bob.Do("POST "+path, "emoji_name", "zulip").Error(400, "REACTION_ALREADY_EXISTS", "Reaction already exists.")
		for agent, kind := range spelled {
			reader := s.As("alice").Agent(agent)
			want := fmt.Sprintf(`[{"emoji_code":"zulip","emoji_name":"zulip","reaction_type":%q,"user_id":%d}]`, kind,
				s.UserID("bob"))
			one := reader.Do(fmt.Sprintf("GET /messages/%d", id)).OK().Get("message.reactions")
			list := reader.Do("GET /messages", "message_ids", fmt.Sprintf("[%d]", id)).OK().Get("messages.0.reactions")
			for _, got := range []any{one, list} {
				if kittest.JSON(got) != want {
					t.Errorf("%s reads %s, want %s", agent, kittest.JSON(got), want)
				}
			}
		}
		bob.Do("DELETE "+path, params...).OK()
		for agent, kind := range spelled {
			event := func(op string) string {
				return fmt.Sprintf(`{"type":"reaction","op":%q,"message_id":%d,"user_id":%d,"emoji_name":"zulip",`+
					`"emoji_code":"zulip","reaction_type":%q}`,
					op, id, s.UserID("bob"), kind)
			}
			sameJSON(t, agent, queues[agent].of("reaction"), event("add"), event("remove"))
		}
	}
}

func TestReactionEvents(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "x")
	queues := map[string]*queue{"alice": openQueue(s, "alice"), "guest": openQueue(s, "guest"),
		"adam": openQueue(s, "adam"),
		"mona": openQueue(s, "mona")}
	event := func(op, by string) string {
		return fmt.Sprintf(`{"type":"reaction","op":%q,"message_id":%d,"user_id":%d,"emoji_name":"heart",`+
			`"emoji_code":"2764","reaction_type":"unicode_emoji"}`, op, id, s.UserID(by))
	}
	react(s, "adam", id, "emoji_name", "heart").OK() // not subscribed, but has the message now
	for who, want := range map[string][]string{"alice": {event("add", "adam")}, "guest": {event("add", "adam")},
		"adam": {event("add", "adam")}, "mona": nil} {
		sameJSON(t, who, queues[who].of("reaction"), want...)
	}
	if got := flags(s, "adam", id); got != "historical read" {
		t.Errorf("adam has flags %q", got)
	}
	s.As("adam").Do(fmt.Sprintf("DELETE /messages/%d/reactions", id), "emoji_name", "heart").OK()
	sameJSON(t, "adam", queues["adam"].of("reaction"), event("remove", "adam"))
	sameJSON(t, "mona", queues["mona"].of("reaction"))
	direct := sendDirect(s, "alice", "x", "bob")
	react(s, "alice", direct, "emoji_name", "heart").OK()
	bob := openQueue(s, "bob")
	s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d/reactions", direct), "emoji_name", "heart").OK()
	if got := bob.of("reaction"); len(got) != 1 {
		t.Errorf("bob received %v", got)
	}
	if got := queues["guest"].of("reaction"); len(got) != 1 { // the removal above
		t.Errorf("guest received %v", got)
	}
}

// Of concurrent identical reactions, one is added.
func TestReactRace(t *testing.T) {
	s := startFull(t)
	id := post(s, "alice", "general", "x", "x")
	answers := make([]*kittest.Response, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = react(s, []string{"alice", "bob"}[i%2], id, "emoji_name", "heart") })
	}
	all.Wait()
	made := 0
	for _, a := range answers {
		if errorText(a) == "" {
			made++
		} else {
			a.Error(400, "REACTION_ALREADY_EXISTS", "Reaction already exists.")
		}
	}
	if made != 2 {
		t.Errorf("%d reactions were added, want 2", made)
	}
}

// A concurrent reaction and deletion: the reaction may succeed first or not find the message, and no row of either
// remains.
func TestReactAndDelete(t *testing.T) {
	s := startStored(t)
	for range 5 {
		id := post(s.Server, "alice", "general", "x", "x")
		var all sync.WaitGroup
		var reacted *kittest.Response
		all.Go(func() { reacted = react(s.Server, "bob", id, "emoji_name", "heart") })
		all.Go(func() { s.As("alice").Do(fmt.Sprintf("DELETE /messages/%d", id)).OK() })
		all.Wait()
		if got := errorText(reacted); got != "" && got != "Invalid message(s)" {
			t.Errorf("refused with %q", got)
		}
	}
	if n := s.count("reactions"); n != 0 {
		t.Errorf("%d reactions to deleted messages", n)
	}
}
