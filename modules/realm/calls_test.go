package realm_test

import (
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/realm"
)

// Organizations can choose the URL template for video calls only if the server has one.
func TestCallTemplate(t *testing.T) {
	const template = "https://meet.example.com/{room}?from=chat"
	s := kittest.StartWith(t, kittest.Options{Config: `modules: {realm: {call_url: "` + template + `"}}`},
		realm.Module, events.Module)
	s.As("adam").Do("PATCH /realm", "video_chat_provider", "1000").OK()
	a := section(s.As("alice"))
	if got := a.Get("stoa_call_url"); got != template {
		t.Errorf("the template is %v", got)
	}
	if got := kittest.JSON(a.Get("realm_available_video_chat_providers")); !strings.Contains(got,
		`{"id":1000,"name":"meet.example.com"}`) {
		t.Errorf("the providers are %s", got)
	}

	without := kittest.Start(t, realm.Module, events.Module)
	without.As("adam").Do("PATCH /realm", "video_chat_provider", "1000").
		Error(400, "BAD_REQUEST", "video_chat_provider")

	for _, bad := range []string{
		"https://meet.example.com/", "ftp://meet.example.com/{room}", "{room}", "javascript:{room}",
	} {
		if (realm.Config{MailDomain: "stoa.invalid", CallURL: bad}).Validate() == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
