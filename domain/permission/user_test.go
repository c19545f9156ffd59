package permission_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// restricted lets guests see only users with whom they share a channel or conversation.
func restricted(r *realm.Realm) {
	r.Settings.Groups["can_access_all_users_group"] = group.Named(group.Members)
}

func TestSees(t *testing.T) {
	open, closed := view(), view(restricted)
	for id := olga; id <= lone; id++ {
		for other := olga; other <= lone; other++ {
			if !permission.Sees(open, open.User(id), other) {
				t.Errorf("%d does not see %d although everyone may", id, other)
			}
		}
	}
	for _, c := range []struct {
		reader, who user.ID
		want        bool
	}{
		{alice, lone, true}, {guest, guest, true}, {guest, alice, true}, {guest, bot, true}, {guest, notices, true},
		{guest, bob, false}, {guest, olga, false}, {lone, alice, false}, {lone, guest, false}, {guest, 999, false},
	} {
		if got := permission.Sees(closed, closed.User(c.reader), c.who); got != c.want {
			t.Errorf("%d sees %d: %v, want %v", c.reader, c.who, got, c.want)
		}
		if c.who < 999 && permission.Seeing(closed, c.who).Has(c.reader) != c.want {
			t.Errorf("Seeing(%d) disagrees for %d", c.who, c.reader)
		}
	}
	if permission.Sees(closed, nil, alice) {
		t.Error("a missing user sees a user")
	}
}

func TestSeesEmail(t *testing.T) {
	v := view()
	for visibility, want := range map[int][]user.ID{
		user.EveryoneSees:  {olga, adam, mona, alice, bob, guest},
		user.MembersSee:    {olga, adam, mona, alice, bob},
		user.ModeratorsSee: {olga, adam, mona, alice},
		user.AdminsSee:     {olga, adam, alice},
		user.NobodySees:    {alice},
		0:                  {alice},
	} {
		who := *v.User(alice)
		who.Settings.EmailAddressVisibility = visibility
		for _, id := range []user.ID{olga, adam, mona, alice, bob, guest} {
			expected := false
			for _, w := range want {
				expected = expected || w == id
			}
			if got := permission.SeesEmail(v.User(id), &who); got != expected {
				t.Errorf("visibility %d: %d sees the address %v", visibility, id, got)
			}
		}
	}
}

func TestCheckNewEmail(t *testing.T) {
	open := view()
	closed := view(func(r *realm.Realm) { r.Settings.EmailChangesDisabled = true })
	restricted := view(func(r *realm.Realm) {
		r.Settings.EmailsRestrictedToDomains, r.Domains = true, []realm.Domain{{Name: "example.com"}}
	})
	for _, c := range []struct {
		name  string
		v     *directory.View
		who   user.ID
		email string
		want  bool
	}{
		{"a member", open, alice, "a@example.org", true},
		{"a guest", open, guest, "a@example.org", true},
		{"a member where it is disabled", closed, alice, "a@example.org", false},
		{"a moderator where it is disabled", closed, mona, "a@example.org", false},
		{"an administrator where it is disabled", closed, adam, "a@example.org", true},
		{"an owner where it is disabled", closed, olga, "a@example.org", true},
		{"a domain", restricted, alice, "a@example.com", true},
		{"another domain", restricted, alice, "a@example.org", false},
		{"another domain, an owner", restricted, olga, "a@example.org", false},
		{"a plus", restricted, alice, "a+b@example.com", false},
	} {
		if err := permission.CheckNewEmail(c.v, c.v.User(c.who), c.email); (err == nil) != c.want || err != nil &&
			!errs.Is(err, errs.BadRequest) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestByEmail(t *testing.T) {
	v := view(restricted)
	hidden := *v.User(alice)
	hidden.Settings.EmailAddressVisibility = user.AdminsSee
	v = v.Apply(2, directory.OfUser(v.User(alice), &hidden))
	real, made := hidden.DeliveryEmail, permission.APIEmail(v, &hidden)
	for _, c := range []struct {
		reader user.ID
		email  string
		want   user.ID // 0: nobody
	}{
		{adam, real, alice}, {alice, real, alice}, {bob, real, 0}, {bob, made, alice}, {guest, made, alice}, {lone, made, 0},
		{bob, "USER4@STOA.INVALID", alice}, {bob, "user999@stoa.invalid", 0}, {bob, v.User(adam).DeliveryEmail, adam},
		{bob, "", 0},
	} {
		got := permission.ByEmail(v, v.User(c.reader), c.email)
		if c.want == 0 && got != nil || c.want != 0 && (got == nil || got.ID != c.want) {
			t.Errorf("%d looks up %s: %v, want %d", c.reader, c.email, got, c.want)
		}
	}
}

func TestAvatarURL(t *testing.T) {
	v := view()
	u := *v.User(alice)
	u.AvatarSource = user.Gravatar
	if permission.AvatarURL(v, &u, true) != nil || permission.AvatarURL(v, &u, false) == nil {
		t.Error("only clients that compute avatars get null")
	}
	u.Settings.EmailAddressVisibility = user.MembersSee
	if permission.AvatarURL(v, &u, true) == nil {
		t.Error("a user with a hidden address has an avatar that clients cannot compute")
	}
}
