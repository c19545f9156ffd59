package invite_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/invite"
	"github.com/stoachat/stoa/domain/linkkey"
)

func TestPending(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		i    invite.Invite
		want bool
	}{
		"unlimited":    {invite.Invite{}, true},
		"not yet over": {invite.Invite{Expires: now.Add(time.Nanosecond)}, true},
		"just over":    {invite.Invite{Expires: now}, false},
		"used":         {invite.Invite{Ended: now}, false},
		"used in time": {invite.Invite{Ended: now, Expires: now.Add(time.Hour)}, false},
		"a year over":  {invite.Invite{Expires: now.AddDate(-1, 0, 0)}, false},
	} {
		if got := c.i.Pending(now); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestUntil(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	n := func(n int64) *int64 { return &n }
	if at, err := invite.Until(now, nil); err != nil || !at.IsZero() {
		t.Errorf("unlimited: %v, %v", at, err)
	}
	if at, err := invite.Until(now, n(14400)); err != nil || at != now.AddDate(0, 0, 10) {
		t.Errorf("ten days: %v, %v", at, err)
	}
	for _, bad := range []int64{0, -1, 52_560_001, 1 << 62} {
		if _, err := invite.Until(now, n(bad)); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%d: %v", bad, err)
		}
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string][]string{
		"a@x.org":                            {"a@x.org"},
		" a@x.org, b@x.org\n\nc@x.org,,\r\n": {"a@x.org", "b@x.org", "c@x.org"},
		"Ada <a@x.org>, \"B, b\" <b@x.org>":  {"a@x.org", `"B`, "b@x.org"},
		"A@x.org, a@X.org":                   {"A@x.org"},
		"no address":                         {"no address"},
		"<a@x.org":                           {"<a@x.org"},
		"a <b <c@x.org>>":                    {"c@x.org>"},
	} {
		got, err := invite.Addresses(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, bad := range []string{"", " ,\n", "<>", strings.Repeat("a@x.org ,", 1) + numbered(1001)} {
		if got, err := invite.Addresses(bad); !errs.Is(err, errs.BadRequest) {
			t.Errorf("%.20q: %d, %v", bad, len(got), err)
		}
	}
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("i", i+1) + ",")
	}
	return b.String()
}

func TestKeys(t *testing.T) {
	secret := invite.Secret(strings.Repeat("s", linkkey.SecretBytes))
	i := &invite.Invite{ID: 71, Nonce: "n"}
	key := secret.Key(i)
	id, proof, ok := invite.Parse(key)
	if !ok || id != 71 || !secret.Proves(i, proof) {
		t.Fatalf("%s: %d, %v", key, id, ok)
	}
	for name, other := range map[string]*invite.Invite{"another": {ID: 72, Nonce: "n"},
		"another nonce": {ID: 71, Nonce: "m"}, "moved": {ID: 7, Nonce: "1 n"}} {
		if secret.Proves(other, proof) {
			t.Errorf("proves %s", name)
		}
	}
	if invite.Secret("other").Proves(i, proof) {
		t.Error("accepted a proof with another secret")
	}
	_, rest, _ := strings.Cut(key, "-")
	for _, bad := range []string{
		"", "-", "1z", "1z-", key + "a", key[:len(key)-1], "0" + key, "+" + key, "-" + key, "0-" + rest, "1Z-" + rest,
		"1z-" + rest + "=", "1z-" + rest[1:] + "\n",
		"zzzzzzzzzzzzzzzzzz-" + rest, strings.Repeat("a", 100),
	} {
		if _, _, ok := invite.Parse(bad); ok {
			t.Errorf("%q was accepted as a key", bad)
		}
	}
}

func TestSource(t *testing.T) {
	a, b := invite.Secret("a"), invite.Secret("b")
	if s := a.Source("192.0.2.1"); s == "" || strings.Contains(s, "192") || s != a.Source("192.0.2.1") ||
		s == a.Source("192.0.2.2") || s == b.Source("192.0.2.1") {
		t.Error(s)
	}
}
