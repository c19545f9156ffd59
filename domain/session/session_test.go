package session_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/domain/session"
)

func TestNext(t *testing.T) {
	for asked, want := range map[string]string{
		"": "/", "/": "/", "/a/b?c=d&e=%2F": "/a/b?c=d&e=%2F", "/#narrow/channel/5": "/#narrow/channel/5",
		"/%2F%2Fevil.example": "/",
		"//evil.example":      "/", "///evil.example": "/", "https://evil.example/": "/", "javascript:alert(1)": "/",
		"evil": "/", "/\\evil.example": "/",
		"/%5Cevil.example": "/", "/\t/evil.example": "/", "\n//evil.example": "/",
		" /a":  "/", //nolint:gocritic // the space is the case
		"/%zz": "/", "/" + strings.Repeat("a", 3000): "/",
		"?a=b": "/", "#a": "/", "/a//evil.example": "/a//evil.example",
	} {
		if got := session.Next(asked); got != want {
			t.Errorf("%.40q redirects to %.40q, want %q", asked, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	id, secret, ok := session.Parse(session.Cookie(35, "SECRET"))
	if id != 35 || secret != "SECRET" || !ok {
		t.Errorf("%d %q %v", id, secret, ok)
	}
	for _, cookie := range []string{
		"", ".", "z", "z.", ".x", "-1.x", "0.x", "!.x", "zzzzzzzzzzzzzz.x", "1." + strings.Repeat("x", 100),
	} {
		if id, secret, ok := session.Parse(cookie); ok {
			t.Errorf("%q is %d and %q", cookie, id, secret)
		}
	}
}
