package channels

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/channels/internal/eventtype"
	"github.com/stoachat/stoa/modules/kit"
)

// viewWith returns a view of users and channels with settings that name users, some of them deactivated.
func viewWith(people, channels int) *directory.View {
	var b directory.Builder
	for id := range user.ID(people) {
		b.User(&user.User{ID: id + 1, DeliveryEmail: fmt.Sprint(id, "@example.com"), Role: user.Member, Active: id != 3,
			Settings: user.Defaults()})
	}
	for i := range channels {
		c := &channel.Channel{
			ID: channel.ID(i + 1), Name: fmt.Sprintf("<%d>", i), Description: "\"\xff", Created: time.Unix(int64(i), 0),
			Creator: user.ID(i + 1),
			Default: i%2 == 0, Permissions: map[string]group.Setting{
				"can_send_message_group":       group.Named(group.Everyone),
				"can_administer_channel_group": {Members: user.Set{1, 4}},
				"can_subscribe_group":          {Members: user.Set{2}, Subgroups: group.Set{group.Moderators}},
			},
		}
		b.Channel(c)
		for u := range user.ID(people) {
			if (int(u)+i)%5 == 0 {
				b.Subscriptions(u+1, c.ID)
			}
		}
	}
	return b.View(1)
}

// A list matches the records, when encoded for the first time and repeatedly, and after changes of channels,
// subscriptions and users.
func TestListMatchesRecords(t *testing.T) {
	v := viewWith(30, 12)
	steps := []*directory.View{v, v}
	then := func(c directory.Change) {
		v = v.Apply(v.Seq()+1, c)
		steps = append(steps, v)
	}
	renamed, gone, back := *v.Channel(3), *v.User(2), *v.User(4)
	renamed.Name, renamed.Archived = "another", true
	gone.Active, back.Active = false, true
	then(directory.OfChannel(v.Channel(3), &renamed))
	then(directory.Change{Subs: &directory.Subs{Channel: 2, Add: user.Set{1}}})
	then(directory.Change{Subs: &directory.Subs{Channel: 2, Remove: user.Set{1, 5}}})
	then(directory.OfUser(v.User(2), &gone))
	then(directory.OfUser(v.User(4), &back))
	steps = append(steps, steps[0], v.Undo(v.Seq(),
		directory.OfUser(&user.User{ID: 4, DeliveryEmail: "3@example.com", Role: user.Member}, &back)))
	yes := true
	own := channel.Personal{Color: "#123456", Muted: true, Desktop: &yes}
	for i, v := range steps {
		for _, which := range []*subscriberLists{
			nil, {want: event.NoSubscribers}, {want: event.AllSubscribers},
			{want: event.PartialSubscribers, whole: 6, part: user.Set{2, 6, 11}},
		} {
			l := &list{v: v, lists: which}
			var want []any
			for c := range v.Channels() {
				e, rec := entry{Channel: c, isDefault: c.ID%3 == 0, hidden: c.ID%4 == 0}, eventtype.NewRecord(v, c)
				if e.isDefault {
					rec.Default = &c.Default
				}
				us := append([]user.ID{}, v.Subscribers(c.ID)...)
				switch {
				case which == nil || which.want == event.NoSubscribers:
				case e.hidden:
					rec.Subscribers = &[]user.ID{}
				case which.want == event.PartialSubscribers && len(us) >= which.whole:
					part := append([]user.ID{}, user.Set(us).And(which.part)...)
					rec.PartialSubscribers = &part
				default:
					rec.Subscribers = &us
				}
				if c.ID%2 == 0 {
					e.own = &own
					want = append(want, channel.NewSubscriptionRecord(rec, own))
				} else {
					want = append(want, rec)
				}
				l.all = append(l.all, e)
			}
			got, err := l.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := kit.AppendJSON(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := decoded(t, got), decoded(t, text); !reflect.DeepEqual(got, want) {
				t.Fatalf("step %d, %+v:\n got %v\nwant %v", i, which, got, want)
			}
		}
	}
	if got, err := (&list{v: v}).AppendJSON(nil); string(got) != "[]" || err != nil {
		t.Errorf("an empty list is encoded as %s, %v", got, err)
	}
}

func decoded(t *testing.T, text []byte) (out []any) {
	t.Helper()
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

// BenchmarkList encodes 1,000 channels with 2,000 subscribers each, as /register does.
func BenchmarkList(b *testing.B) {
	v := viewWith(10_000, 1000)
	l := &list{v: v, lists: &subscriberLists{want: event.AllSubscribers}}
	for c := range v.Channels() {
		l.all = append(l.all, entry{Channel: c, own: &channel.Personal{Color: "#123456"}})
	}
	for b.Loop() {
		if _, err := l.AppendJSON(make([]byte, 0, l.Size())); err != nil {
			b.Fatal(err)
		}
	}
}
