package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
)

// A hidden user has a placeholder name, a generated address, and the avatar for that address.
func TestNamed(t *testing.T) {
	open, closed := view(), view(restricted)
	for _, c := range []struct {
		reader, who user.ID
		hidden      bool // where guests are restricted
	}{{alice, bob, false}, {guest, guest, false}, {guest, alice, false}, {guest, bot, false}, {guest, bob, true},
		{guest, gone, true}, {lone, alice, true}} {
		if got := permission.UserOrStranger(open, open.User(c.reader), c.who); got != open.User(c.who) {
			t.Errorf("to %d, without restriction, %d is %v", c.reader, c.who, got)
		}
		got := permission.UserOrStranger(closed, closed.User(c.reader), c.who)
		if hidden := got != closed.User(c.who); hidden != c.hidden {
			t.Errorf("to %d, %d is hidden: %v", c.reader, c.who, hidden)
		}
		if c.hidden && (got.ID != c.who || got.FullName != "Unknown user" ||
			permission.APIEmail(closed, got) == permission.APIEmail(closed, closed.User(c.who)) ||
			permission.AvatarURL(closed, got, true) == nil || !got.Active || got.Role != user.Member) {
			t.Errorf("to %d, %d is %+v", c.reader, c.who, got)
		}
	}
	if got := permission.UserOrStranger(closed, closed.User(guest), 999); got != nil {
		t.Errorf("a missing user is %v", got)
	}
}

func TestNamedToSpectators(t *testing.T) {
	web := channel.Channel{ID: 2, Name: "web", WebPublic: true}
	joins := directory.Change{Subs: &directory.Subs{Channel: 2, Add: user.Set{bob}}}
	open, closed := view().Apply(2, directory.OfChannel(nil, &web), joins),
		view(restricted).Apply(2, directory.OfChannel(nil, &web), joins)
	for _, c := range []struct {
		v      *directory.View
		who    user.ID
		hidden bool
	}{{open, alice, false}, {open, bob, false}, {closed, alice, true}, {closed, bob, false}, {closed, bot, false}} {
		got := permission.UserOrStrangerForSpectators(c.v, c.who)
		if hidden := got.FullName == "Unknown user"; got.ID != c.who || hidden != c.hidden {
			t.Errorf("%d is %+v", c.who, got)
		}
		if !got.IsBot() && got.Settings.EmailAddressVisibility != user.NobodySees {
			t.Errorf("the address of %d is revealed", c.who)
		}
	}
	if got := permission.UserOrStrangerForSpectators(open, 999); got != nil {
		t.Errorf("a missing user is %v", got)
	}
}
