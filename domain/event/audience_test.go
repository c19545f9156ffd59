package event

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// randomView returns a view with a dozen users and five channels, all with random properties.
func randomView(r *rand.Rand) *directory.View {
	var b directory.Builder
	set := realm.Settings{Groups: map[string]group.Setting{}}
	if r.IntN(2) == 0 {
		set.Groups["can_access_all_users_group"] = group.Named(group.Members)
	}
	b.Realm(&realm.Realm{ID: 1, Settings: set})
	roles := []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Member, user.Guest, user.Guest}
	for id := user.ID(1); id <= 12; id++ {
		u := &user.User{ID: id, Role: roles[r.IntN(len(roles))], Active: r.IntN(5) > 0}
		if r.IntN(6) == 0 {
			u.BotType = user.GenericBot
		}
		b.User(u)
	}
	for id := channel.ID(1); id <= 5; id++ {
		b.Channel(&channel.Channel{
			ID: id, Private: r.IntN(2) == 0, WebPublic: r.IntN(5) == 0, HistoryPublic: true, Archived: r.IntN(6) == 0,
			Permissions: map[string]group.Setting{
				"can_add_subscribers_group":    {Members: user.Set{user.ID(r.IntN(12) + 1)}},
				"can_subscribe_group":          group.Named([]group.ID{group.Nobody, group.Moderators, group.Everyone}[r.IntN(3)]),
				"can_administer_channel_group": {Members: user.Set{user.ID(r.IntN(12) + 1)}},
			},
		})
		for u := user.ID(1); u <= 12; u++ {
			if r.IntN(3) == 0 {
				b.Subscriptions(u, id)
			}
		}
	}
	return b.View(1)
}

// TestIncludesMatchesMembers checks that Includes and Members agree.
func TestIncludesMatchesMembers(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		v := randomView(r)
		u, c := user.ID(r.IntN(13)+1), channel.ID(r.IntN(6)+1)
		for _, a := range []Audience{To(u), Each(u, 3, 1), Everyone(), NonGuests(), Admins(), Subscribers(c),
			SeeingChannel(c),
			Seeing(u), None(), Everyone().But(u, 2), Subscribers(c).And(u, 4).But(2)} {
			all := a.Members(v)
			for id := user.ID(1); id <= 13; id++ {
				if a.Includes(v, id) != all.Has(id) {
					t.Fatalf("seed %d: %+v: user %d: Includes %v, Members %v", seed, a, id, a.Includes(v, id), all)
				}
			}
		}
	}
}

func TestAudienceJSON(t *testing.T) {
	for _, a := range []Audience{To(7), Each(1, 2), Everyone().But(4), Subscribers(3), Seeing(5), None()} {
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back Audience
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(a, back) {
			t.Errorf("%s became %+v (%v)", text, back, err)
		}
	}
	if To(7).Single() != 7 || Everyone().Single() != 0 || Each(7).Single() != 0 {
		t.Error("Single")
	}
}

func TestButDoesNotModify(t *testing.T) {
	a := Everyone().But(1)
	b, c := a.But(2), a.But(3)
	if !reflect.DeepEqual(a.Except, People{1}) || !reflect.DeepEqual(b.Except, People{1, 2}) ||
		!reflect.DeepEqual(c.Except, People{1, 3}) {
		t.Errorf("%v %v %v", a, b, c)
	}
}

func TestIDs(t *testing.T) {
	last := ID(0)
	for _, c := range []struct {
		seq Seq
		sub int64
	}{{0, StartOfQueueSub}, {0, FirstEphemeral}, {0, LastEphemeral}, {1, 1}, {1, MaxEntrySub}, {1, FirstEphemeral}, {2, 1},
		{8_500_000_000, 1}} {
		id := NewID(c.seq, c.sub)
		if id.Seq() != c.seq || id.Sub() != c.sub {
			t.Errorf("%d, %d became %d, %d", c.seq, c.sub, id.Seq(), id.Sub())
		}
		if id <= last {
			t.Errorf("%d is not after %d", id, last)
		}
		if last = id; id >= 1<<53 {
			t.Errorf("%d exceeds JavaScript's safe integers", id)
		}
	}
}
