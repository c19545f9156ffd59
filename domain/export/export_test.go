package export_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/export"
	"github.com/stoachat/stoa/domain/idset"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

const (
	willing, unwilling, shy, helper        = user.ID(1), user.ID(2), user.ID(3), user.ID(4)
	open, willingly, unwillingly, botsOnly = channel.ID(1), channel.ID(2), channel.ID(3), channel.ID(4)
)

// view has users with and without consent, and a bot of a consenting user with the same setting.
func view() *directory.View {
	b := &directory.Builder{}
	b.Realm(&realm.Realm{ID: 1})
	consents := user.Settings{AllowPrivateDataExport: true}
	b.User(&user.User{ID: willing, Active: true, Settings: user.Settings{
		AllowPrivateDataExport: true, EmailAddressVisibility: user.NobodySees,
	}})
	b.User(&user.User{ID: unwilling, Active: true, Settings: user.Settings{EmailAddressVisibility: user.AdminsSee}})
	b.User(&user.User{ID: shy, Active: true, Settings: user.Settings{EmailAddressVisibility: user.NobodySees}})
	b.User(&user.User{ID: helper, Active: true, BotType: user.GenericBot, BotOwner: willing, Settings: consents})
	for id, private := range map[channel.ID]bool{open: false, willingly: true, unwillingly: true, botsOnly: true} {
		b.Channel(&channel.Channel{ID: id, Private: private})
	}
	b.Subscriptions(willing, willingly)
	b.Subscriptions(unwilling, open, willingly, unwillingly)
	b.Subscriptions(helper, botsOnly)
	return b.View(1)
}

func TestScope(t *testing.T) {
	type answers struct {
		private, channels, emails, direct string // yes or no, in the order of IDs
	}
	for kind, want := range map[export.Type]answers{
		export.Public:         {"nnnn", "ynnn", "nyny", "nnn"},
		export.WithConsent:    {"ynnn", "yynn", "yyny", "ynn"},
		export.WithoutConsent: {"yyyy", "yyyy", "yyyy", "yyy"},
	} {
		v := view()
		s := export.ScopeOf(v, kind, v.Now())
		mark := func(text *string, yes bool) {
			if yes {
				*text += "y"
			} else {
				*text += "n"
			}
		}
		var got answers
		for id := willing; id <= helper; id++ {
			mark(&got.private, s.Private(id))
			mark(&got.emails, s.Email(v.User(id)))
		}
		for id := open; id <= botsOnly; id++ {
			mark(&got.channels, s.Channel(id))
		}
		for _, members := range []user.Set{idset.Of(willing, unwilling), idset.Of(unwilling, shy), idset.Of(shy, helper)} {
			mark(&got.direct, s.Direct(members))
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
		if s.Channel(99) {
			t.Errorf("%s: contains a missing channel", kind)
		}
	}
}

func TestRules(t *testing.T) {
	granting := &realm.Settings{OwnerFullContentAccess: true}
	big := export.Size{Messages: export.MaxMessages, Bytes: export.MaxBytes}
	more, larger := big, big
	more.Messages++
	larger.Bytes++
	for name, c := range map[string]struct {
		err  error
		code errs.Code
	}{
		"public":                {export.CheckType(export.Public, &realm.Settings{}, user.Admin), ""},
		"with consent":          {export.CheckType(export.WithConsent, &realm.Settings{}, user.Admin), ""},
		"not allowed":           {export.CheckType(export.WithoutConsent, &realm.Settings{}, user.Owner), errs.BadRequest},
		"by an administrator":   {export.CheckType(export.WithoutConsent, granting, user.Admin), errs.UnauthorizedPrincipal},
		"by an owner":           {export.CheckType(export.WithoutConsent, granting, user.Owner), ""},
		"four before":           {export.CheckRecent(4), ""},
		"five before":           {export.CheckRecent(5), errs.BadRequest},
		"at the limits":         {export.CheckSize(big), ""},
		"too many messages":     {export.CheckSize(more), errs.BadRequest},
		"too many bytes":        {export.CheckSize(larger), errs.BadRequest},
		"delete a pending one":  {(&export.Export{}).CheckDelete(), errs.BadRequest},
		"delete a complete one": {(&export.Export{State: export.Complete}).CheckDelete(), ""},
		"delete a failed one":   {(&export.Export{State: export.Failed}).CheckDelete(), errs.BadRequest},
		"delete a deleted one":  {(&export.Export{State: export.Deleted}).CheckDelete(), errs.BadRequest},
	} {
		if c.code == "" && c.err != nil || c.code != "" && !errs.Is(c.err, c.code) {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	for text, want := range map[string]export.Type{
		"public": export.Public, `"full_with_consent"`: export.WithConsent, "2": export.WithConsent,
		"full_without_consent": export.WithoutConsent,
		"3":                    "", "": "",
	} {
		var got export.Type
		if err := got.UnmarshalText([]byte(text)); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}
