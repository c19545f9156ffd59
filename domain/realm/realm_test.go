package realm_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
)

func TestCheckStringID(t *testing.T) {
	for sent, want := range map[string]string{
		"skeptics": "skeptics", " Skeptics ": "skeptics", "a-1": "a-1", "x": "x",
		strings.Repeat("a", 40): strings.Repeat("a", 40),
		"":                      "", "  ": "", "a b": "", "a.b": "", "-a": "", "a-": "", "é": "", "a_b": "",
		strings.Repeat("a", 41): "", "www": "", "API": "", "a\x00b": "",
	} {
		got, err := realm.CheckStringID(sent)
		if got != want || (want == "") != errs.Is(err, errs.BadRequest) {
			t.Errorf("%q: %q, %v; want %q", sent, got, err, want)
		}
	}
}

func TestDeactivation(t *testing.T) {
	days := func(n int) *int { return &n }
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &realm.Realm{ID: 1}
	for _, c := range []struct {
		keep *int
		ok   bool
	}{{nil, true}, {days(14), true}, {days(13), false}, {days(0), false}, {days(-1), false}, {days(36600), true},
		{days(36601), false}} {
		ended, err := r.Ended(now, c.keep)
		if (err == nil) != c.ok || r.Deactivated {
			t.Errorf("%v days: %v", c.keep, err)
		}
		if err != nil {
			continue
		}
		if !ended.Deactivated || ended.DeleteAfter.IsZero() != (c.keep == nil) {
			t.Errorf("%v days: %+v", c.keep, ended)
		}
		if _, err := ended.Ended(now, nil); !errs.Is(err, errs.BadRequest) {
			t.Errorf("twice: %v", err)
		}
		back, err := ended.Resumed()
		if err != nil || back.Deactivated || !back.DeleteAfter.IsZero() || !ended.Deactivated {
			t.Errorf("back: %+v, %v", back, err)
		}
	}
	ended, _ := r.Ended(now, days(14))
	forever, _ := r.Ended(now, nil)
	for what, c := range map[string]struct {
		r    *realm.Realm
		at   time.Time
		over bool
	}{
		"before the time": {ended, now.AddDate(0, 0, 14).Add(-time.Second), false},
		"at the time":     {ended, now.AddDate(0, 0, 14), true},
		"kept for ever":   {forever, now.AddDate(200, 0, 0), false}, "not ended": {r, now.AddDate(200, 0, 0), false},
	} {
		over, is := c.r.Expired(c.at)
		if is != c.over {
			t.Errorf("%s: %v", what, is)
		}
		if !is {
			continue
		}
		if _, again := over.Expired(c.at); again || !over.Deleting || c.r.Deleting {
			t.Errorf("%s: %+v", what, over)
		}
		if _, err := over.Resumed(); !errs.Is(err, errs.BadRequest) {
			t.Errorf("reactivated during deletion: %v", err)
		}
	}
	if _, err := r.Resumed(); !errs.Is(err, errs.BadRequest) {
		t.Errorf("reactivated although active: %v", err)
	}
}

func TestNewUserSettings(t *testing.T) {
	r := &realm.Realm{ID: 1, Settings: realm.Defaults()}
	r.Settings.DefaultLanguage = "de"
	if got := r.NewUserSettings().DefaultLanguage; got != "de" {
		t.Errorf("language %s", got)
	}
	same, changes, err := r.WithUserDefaults(map[string]any{"default_language": "de", "enter_sends": false})
	if err != nil || len(changes) != 0 || same.UserDefaults != nil {
		t.Errorf("no change: %v, %v", changes, err)
	}
	now, changes, err := r.WithUserDefaults(map[string]any{"enter_sends": true})
	if err != nil || len(changes) != 1 || !now.NewUserSettings().EnterSends || r.NewUserSettings().EnterSends {
		t.Errorf("%v, %v", changes, err)
	}
	if now.Settings.DefaultLanguage = "it"; now.NewUserSettings().DefaultLanguage != "it" {
		t.Error("the language does not follow the realm's")
	}
	if now, _, err = now.WithUserDefaults(map[string]any{"default_language": "fr"}); err != nil {
		t.Fatal(err)
	}
	if now.Settings.DefaultLanguage = "es"; now.NewUserSettings().DefaultLanguage != "fr" {
		t.Error("a chosen language follows the realm's")
	}
	if _, _, err := r.WithUserDefaults(map[string]any{"color_scheme": 7}); !errs.Is(err, errs.BadRequest) {
		t.Errorf("a bad value: %v", err)
	}
}
