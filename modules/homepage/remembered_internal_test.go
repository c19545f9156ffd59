package homepage

import (
	"slices"
	"strings"
	"testing"
)

func TestRemember(t *testing.T) {
	if got := addName(parseNames("a.b._"), "b"); !slices.Equal(got, []string{"b", "a", "_"}) {
		t.Errorf("%v", got)
	}
	many := parseNames(strings.Repeat("a-1.", 1) + "b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w")
	if len(many) != maxRemembered || len(addName(many, "z")) != maxRemembered {
		t.Errorf("%d", len(many))
	}
}

func TestSharedDomain(t *testing.T) {
	for _, c := range []struct{ site, host, want string }{
		{"https://chat.example.com", "chat.example.com", "chat.example.com"},
		{"https://chat.example.com:8443", "a.chat.example.com", "chat.example.com"},
		{"https://chat.example.com", "evilchat.example.com", ""},
		{"https://chat.example.com", "10.0.0.1", ""},
		{"http://127.0.0.1:9991", "127.0.0.1", ""},
		{"http://localhost:9991", "localhost", ""},
		{"", "chat.example.com", ""},
	} {
		if got := sharedDomain(c.site, c.host); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.site, c.host, got, c.want)
		}
	}
}
