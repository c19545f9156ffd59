package message

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/topic"
	"github.com/stoachat/stoa/domain/user"
)

var sentAt = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// change returns a request; "-" leaves a field unset.
func change(topic, content string, to channel.ID, mode string) ChangeRequest {
	in := ChangeRequest{Channel: to, Mode: mode}
	if topic != "-" {
		in.Topic = &topic
	}
	if content != "-" {
		in.Content = &content
	}
	return in
}

func TestPlanChange(t *testing.T) {
	den := &channel.Channel{ID: 10, Name: "den", HistoryPublic: true}
	hall := &channel.Channel{ID: 11, Name: "hall", HistoryPublic: true}
	onlyEmpty := &channel.Channel{ID: 12, Name: "one", HistoryPublic: true, TopicsPolicy: topic.OnlyEmpty}
	byOwners := map[string]group.Setting{"can_move_messages_between_topics_group": group.Named(group.Owners),
		"can_move_messages_between_channels_group": group.Named(group.Owners)}
	strict := func(r *realm.Settings) {
		for k, v := range byOwners {
			r.Groups[k] = v
		}
	}
	for _, c := range []struct {
		name    string
		set     func(*realm.Settings)
		u       user.ID
		in      ChangeRequest
		age     time.Duration
		want    string // error message
		topic   string // of the plan, "-" if unchanged
		moves   bool
		resolve bool
	}{
		{name: "content", u: anna, in: change("-", " x ", 0, ChangeOne), topic: "-"},
		{name: "content, within the grace", u: anna, in: change("-", "x", 0, ChangeOne), age: 620 * time.Second, topic: "-"},
		{name: "content, after the grace", u: anna, in: change("-", "x", 0, ChangeOne), age: 621 * time.Second,
			want: "The time limit for editing this message has passed"},
		{name: "topic", u: ben, in: change(" New ", "-", 0, ChangeAll), topic: "New", moves: true},
		{name: "the case of the topic", u: ben, in: change("LUNCH", "-", 0, ChangeAll), topic: "LUNCH", moves: true},
		{name: "the same topic", u: ben, in: change("lunch", "-", 0, ChangeOne), want: "Nothing to change"},
		{name: "the same topic with content", u: anna, in: change("lunch", "x", 0, ChangeOne), topic: "-"},
		{name: "resolve", u: gus, in: change("✔ lunch", "-", 0, ChangeAll), topic: "✔ lunch", moves: true, resolve: true},
		{name: "not quite resolving", u: ben, in: change("✔ Lunch", "-", 0, ChangeAll), topic: "✔ Lunch", moves: true},
		{name: "resolving has no limit", u: ben, in: change("✔ lunch", "-", 0, ChangeAll), age: 1000 * time.Hour,
			topic: "✔ lunch", moves: true, resolve: true},
		{name: "the empty topic by its name", u: ben, in: change("general chat", "-", 0, ChangeOne), topic: "", moves: true},
		{name: "too late for a topic", u: ben, in: change("x", "-", 0, ChangeOne), age: 7*24*time.Hour + 21*time.Second,
			want: "The time limit for editing this message's topic has passed."},
		{name: "an owner is never late", u: owner1, in: change("x", "-", 0, ChangeOne), age: 1000 * time.Hour, topic: "x",
			moves: true},
		{name: "topics for owners", set: strict, u: ben, in: change("x", "-", 0, ChangeOne),
			want: "You don't have permission to edit this message"},
		{name: "channels for owners", set: strict, u: ben, in: change("-", "-", 11, ChangeOne),
			want: "You don't have permission to move this message"},
		{name: "an owner may", set: strict, u: owner1, in: change("x", "-", 11, ChangeOne), topic: "x", moves: true},
		{name: "channel", u: ben, in: change("-", "-", 11, ChangeLater), topic: "-", moves: true},
		{name: "channel, by a guest", u: gus, in: change("-", "-", 11, ChangeOne), want: "Invalid channel ID"},
		{name: "to where only the empty topic is", u: ben, in: change("-", "-", 12, ChangeOne),
			want: "Only the general chat topic is allowed in this channel."},
		{name: "to where it is, empty", u: ben, in: change("", "-", 12, ChangeOne), topic: "", moves: true},
		{name: "a resolved topic elsewhere is an ordinary move", u: ben, in: change("✔ lunch", "-", 11, ChangeAll),
			topic: "✔ lunch", moves: true},
		{name: "too late for a channel", u: ben, in: change("-", "-", 11, ChangeOne), age: 7*24*time.Hour + 21*time.Second,
			want: "The time limit for editing this message's channel has passed"},
	} {
		v := view(c.set, den, hall, onlyEmpty)
		m := Message{ID: 5, Recipient: OfChannel(10), Topic: "lunch", TopicKey: "lunch", Sender: anna, SentAt: sentAt,
			Content: "before"}
		p, err := PlanChange(v, v.User(c.u), &m, c.in, sentAt.Add(c.age))
		if text(err) != c.want {
			t.Errorf("%s: refused with %q, want %q", c.name, text(err), c.want)
		}
		if err != nil {
			continue
		}
		name := "-"
		if p.Topic != nil {
			name = *p.Topic
		}
		if name != c.topic || p.Moves() != c.moves || p.Resolved != c.resolve {
			t.Errorf("%s: topic %q, moves %v, resolves %v", c.name, name, p.Moves(), p.Resolved)
		}
	}
}

func TestPlanChangeOfWidget(t *testing.T) {
	v := view(nil, &channel.Channel{ID: 10, Name: "den", HistoryPublic: true})
	m := Message{ID: 5, Recipient: OfChannel(10), Topic: "lunch", TopicKey: "lunch", Sender: anna, SentAt: sentAt,
		Content: "/poll", Facts: HasWidget}
	if _, err := PlanChange(v, v.User(anna), &m, change("-", "x", 0, ChangeOne),
		sentAt); text(err) != "Widgets cannot be edited." {
		t.Errorf("its content: %v", err)
	}
	if _, err := PlanChange(v, v.User(anna), &m, change("tea", "-", 0, ChangeOne), sentAt); err != nil {
		t.Errorf("its topic: %v", err)
	}
	long := strings.Repeat("x", 57) + "..."
	m.Topic, m.TopicKey = long, long
	for _, mode := range []string{ChangeOne, ChangeAll} {
		if _, err := PlanChange(v, v.User(anna), &m, change(strings.Repeat("x", 70), "-", 0, mode),
			sentAt); text(err) != "Nothing to change" {
			t.Errorf("a topic that is equal when truncated: %v", err)
		}
	}
}

func movable(all []Message, since time.Time) (m Movable) {
	var first ID
	if i := slices.IndexFunc(all, func(one Message) bool { return !one.SentAt.Before(since) }); i >= 0 {
		first = all[i].ID
	}
	for _, one := range all {
		m.Add(one.ID, first)
	}
	return m
}

func TestCheckWhole(t *testing.T) {
	v := view(nil, &channel.Channel{ID: 10, Name: "den", HistoryPublic: true})
	name := "x"
	at := func(ages ...time.Duration) (all []Message) {
		for i, a := range ages {
			all = append(all, Message{ID: ID(i + 1), SentAt: sentAt.Add(-a)})
		}
		return all
	}
	const week = 7 * 24 * time.Hour
	for _, c := range []struct {
		name    string
		plan    Plan
		u       user.ID
		all     []Message
		first   any
		allowed int
	}{
		{"all young", Plan{Mode: ChangeAll, Topic: &name}, ben, at(week, 0), nil, -1},
		{"one old", Plan{Mode: ChangeAll, Topic: &name}, ben, at(2*week, week, 0), ID(2), 2},
		{"all old", Plan{Mode: ChangeAll, Topic: &name}, ben, at(2*week, 2*week), nil, 0},
		{"only one moves", Plan{Mode: ChangeOne, Topic: &name}, ben, at(2*week, 0), nil, -1},
		{"resolving", Plan{Mode: ChangeAll, Topic: &name, Resolved: true}, ben, at(2*week, 0), nil, -1},
		{"an owner", Plan{Mode: ChangeAll, Topic: &name}, owner1, at(2*week, 0), nil, -1},
	} {
		var err error
		if since, limited := c.plan.Since(v, sentAt); limited && c.plan.Whole(v.User(c.u)) {
			err = c.plan.CheckWhole(movable(c.all, since))
		}
		if (err == nil) != (c.allowed < 0) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var e *errs.Error
		if errors.As(err, &e) && (e.Code != errs.MoveLimit || e.Extra["first_message_id_allowed_to_move"] != c.first ||
			e.Extra["total_messages_allowed_to_move"] != c.allowed || e.Extra["total_messages_in_topic"] != len(c.all)) {
			t.Errorf("%s: %v", c.name, e.Extra)
		}
	}
}

func TestCheckDelete(t *testing.T) {
	den := &channel.Channel{ID: 10, Name: "den", HistoryPublic: true}
	own := func(r *realm.Settings) { r.Groups["can_delete_own_message_group"] = group.Named(group.Owners) }
	byBen := &channel.Channel{ID: 10, Name: "den", HistoryPublic: true,
		Permissions: map[string]group.Setting{"can_delete_any_message_group": {Members: user.Set{ben}}}}
	const no, late = "You don't have permission to delete this message",
		"The time limit for deleting this message has passed"
	for _, c := range []struct {
		name   string
		set    func(*realm.Settings)
		c      *channel.Channel
		u      user.ID
		sender user.ID
		age    time.Duration
		want   string
	}{
		{"own", nil, den, anna, anna, 600 * time.Second, ""},
		{"own, late", nil, den, anna, anna, 601 * time.Second, late},
		{"own bot's", nil, den, anna, annasBot, 0, ""},
		{"another's bot", nil, den, ben, annasBot, 0, no},
		{"another's", nil, den, ben, anna, 0, no},
		{"another's, owner of the realm", nil, den, owner1, anna, 1000 * time.Hour, ""},
		{"another's, permitted in the channel", nil, byBen, ben, anna, 1000 * time.Hour, ""},
		{"another's direct message", nil, nil, ben, anna, 0, no},
		{"own, for owners", own, den, anna, anna, 0, no},
	} {
		v := view(c.set, den)
		if got := text(CheckDelete(v, v.User(c.u), c.c, &Message{Sender: c.sender, SentAt: sentAt},
			sentAt.Add(c.age))); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Plans respect the limits of messages and topics, whatever the request.
func FuzzPlanChange(f *testing.F) {
	f.Add("✔ lunch", "x", int64(0), ChangeAll, false)
	f.Add(" ✔ ", "", int64(11), ChangeOne, true)
	f.Add(strings.Repeat("é", 80), strings.Repeat("é", 10_100), int64(0), ChangeLater, true)
	v := view(nil, &channel.Channel{ID: 10, Name: "den", HistoryPublic: true},
		&channel.Channel{ID: 11, Name: "hall", HistoryPublic: true})
	f.Fuzz(func(t *testing.T, name, content string, to int64, mode string, both bool) {
		in := ChangeRequest{Topic: &name, Channel: channel.ID(to), Mode: mode}
		if both {
			in.Content = &content
		}
		m := Message{ID: 5, Recipient: OfChannel(10), Topic: "lunch", Sender: anna, SentAt: sentAt}
		p, err := PlanChange(v, v.User(anna), &m, in, sentAt)
		if err != nil {
			var e *errs.Error
			if !errors.As(err, &e) {
				t.Errorf("%v is not a refusal", err)
			}
			return
		}
		if p.Topic != nil && (len([]rune(*p.Topic)) > topic.MaxLength || strings.TrimSpace(*p.Topic) != *p.Topic &&
			!strings.HasSuffix(*p.Topic, "...")) {
			t.Errorf("topic %q", *p.Topic)
		}
		if p.Content != nil && (*p.Content == "" || len([]rune(*p.Content)) > MaxLength) {
			t.Errorf("content %q", *p.Content)
		}
		if p.Resolved && p.Target != nil {
			t.Error("a move to another channel counts as resolving")
		}
	})
}
