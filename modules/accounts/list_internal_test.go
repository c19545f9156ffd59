package accounts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// assortedUsers returns users with each combination of role and address visibility, and bots.
func assortedUsers() []*user.User {
	var all []*user.User
	add := func(u user.User) {
		u.ID = user.ID(len(all) + 1)
		u.DeliveryEmail, u.FullName = fmt.Sprintf("p%d+\"x@example.com", u.ID),
			fmt.Sprintf("Pat <%d> & \"Co\" \u2028\xff", u.ID)
		u.Joined, u.AvatarVersion = time.Unix(int64(u.ID)*1e7, 0), int(u.ID%3)+1
		all = append(all, &u)
	}
	sources := []string{user.Gravatar, user.Uploaded, user.Generated}
	for i, role := range []user.Role{user.Owner, user.Admin, user.Moderator, user.Member, user.Guest} {
		for visibility := user.EveryoneSees; visibility <= user.ModeratorsSee; visibility++ {
			s := user.Defaults()
			s.EmailAddressVisibility, s.Timezone = visibility, []string{"", "Europe/Berlin"}[i%2]
			add(user.User{Role: role, Active: (i+visibility)%4 > 0, Settings: s, AvatarSource: sources[(i+visibility)%3],
				Avatar: "/a/b.png"})
		}
	}
	add(user.User{Role: user.Member, Active: true, BotType: user.GenericBot, BotOwner: 3, AvatarSource: user.Gravatar})
	add(user.User{Role: user.Member, Active: true, BotType: user.OutgoingWebhook, AvatarSource: user.Generated})
	add(user.User{Role: user.Member, Active: true, BotType: user.GenericBot, System: true, AvatarSource: user.Gravatar})
	return all
}

// A list contains the same as record for every reader and format, whether or not it is cached, and after users and the
// realm have changed.
func TestListMatchesRecords(t *testing.T) {
	var b directory.Builder
	b.Realm(&realm.Realm{ID: 1, MailDomain: "one.example", Settings: realm.Defaults()})
	people := assortedUsers()
	for _, u := range people {
		b.User(u)
	}
	v := b.View(1)
	now := *people[0]
	now.FullName, now.Role, now.Settings.EmailAddressVisibility = "Somebody else", user.Member, user.NobodySees
	other := *v.Realm()
	other.MailDomain = "two.example"
	changed := v.Apply(2, directory.OfUser(people[0], &now))
	profiles := map[user.ID]profile{2: profile(`{"1":{"value":"x"}}`)}
	decoded := func(text []byte) (out []any) {
		t.Helper()
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return out
	}
	for i, v := range []*directory.View{v, v, changed, v, changed.Apply(3, directory.OfRealm(v.Realm(), &other))} {
		for reader := range v.Users() {
			for _, h := range []format{
				{}, {gravatar: true}, {active: true}, {gravatar: true, active: true, profile: true, profiles: profiles},
				{profile: true},
			} {
				l := newList(v, reader, h)
				var want []person
				for u := range v.Users() {
					hidden := (u.ID+reader.ID)%7 == 0
					l.users = append(l.users, shown{u, hidden})
					if hidden {
						want = append(want, unknown(v, u, h))
					} else {
						want = append(want, record(v, reader, u, h))
					}
				}
				got, err := l.AppendJSON(nil)
				if err != nil {
					t.Fatal(err)
				}
				text, err := kit.AppendJSON(nil, want)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := decoded(got), decoded(text); !reflect.DeepEqual(got, want) {
					t.Fatalf("view %d, reader %d, %+v:\n got %v\nwant %v", i, reader.ID, h, got, want)
				}
				if l.Size() < len(got)*2/3 {
					t.Fatalf("%d bytes, expected about %d", len(got), l.Size())
				}
			}
		}
	}
	if got, err := newList(v, nil, format{}).AppendJSON(nil); string(got) != "[]" || err != nil {
		t.Errorf("nobody is %s, %v", got, err)
	}
}
