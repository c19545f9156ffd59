package mattermost

import (
	_ "embed"
	"reflect"
	"testing"

	"github.com/stoachat/stoa/domain/importing"
	"github.com/stoachat/stoa/domain/user"
)

//go:embed testdata/people.jsonl
var people string

func TestPeople(t *testing.T) {
	d, _, report := read(t, importing.Options{}, people, "data/p/eve.png")
	byKey := map[importing.Key]importing.Person{}
	for _, p := range d.People {
		byKey[p.Key] = p
	}
	e := byKey["eve"]
	want := importing.Person{
		Key: "eve", Email: "e@x.org", Name: "Eve", Role: user.Guest, Inactive: true,
		Avatar: &importing.File{Name: "eve.png", Path: "data/p/eve.png"}, Status: "away", StatusFor: "wave",
		Fields: map[importing.Key]string{positionField: "Dev", nicknameField: "E"}, Words: []string{"Go"},
		Identities: []importing.Identity{{Provider: "ldap", Subject: "eve1"}},
	}
	if !reflect.DeepEqual(e, want) {
		t.Errorf("got %+v\nwant %+v", e, want)
	}
	if b := byKey["ci"]; b.Bot != user.GenericBot || b.Owner != "eve" || !b.Inactive {
		t.Errorf("got %+v", b)
	}
	if _, ok := byKey["bob."]; !ok || byKey["bob."].Name != "Bobby" {
		t.Error("somebody without a team who has a direct conversation is missing")
	}
	sub := []importing.Subscription{{Person: "eve", Channel: "acme/dev", Muted: true, Pinned: true}}
	if !reflect.DeepEqual(d.Subscriptions, sub) {
		t.Errorf("got %+v", d.Subscriptions)
	}
	for k, want := range map[importing.Kind]importing.Count{
		importing.People:        {Refused: 3},
		importing.Subscriptions: {Skipped: 1, Refused: 2},
		importing.Others:        {Imported: 1, Skipped: 3, Refused: 1},
	} {
		want.Kind = k
		if got := report.Of(k); got != want {
			t.Errorf("%s: got %+v, want %+v", k, got, want)
		}
	}
}
