package message_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/message"
)

func TestAnonymizer(t *testing.T) {
	a := message.NewAnonymizer(7)
	html := func(id, name string) string {
		return `<span class="user-mention" data-user-id="` + id + `">@` + name + `</span>`
	}
	silent := func(name string) string {
		return `<span class="user-mention silent" data-user-id="7">` + name + `</span>`
	}
	for _, c := range []struct{ content, rendered, wantContent, wantRendered string }{
		{"@**Ada** hi", html("7", "Ada") + " hi", "@**Deleted user|7** hi", html("7", "Deleted user") + " hi"},
		{"@_**A & B** @**|7**", silent("A &amp; B") + " " + html("7", "C"), "@_**Deleted user|7** @**|7**",
			silent("Deleted user") + " " + html("7", "Deleted user")},
		{"@**Ada|7** @**Ada|8**", html("7", "Ada") + html("8", "Ada"), "@**Deleted user|7** @**Ada|8**",
			html("7", "Deleted user") + html("8", "Ada")},
		{"@**Bob** `Ada` Ada", html("7", "Ada") + html("8", "Bob"), "@**Bob** `Ada` Ada",
			html("7", "Deleted user") + html("8", "Bob")},
		{"@**Ada**", "<p>@<strong>Ada</strong></p>", "@**Ada**", "<p>@<strong>Ada</strong></p>"}, // mentions nobody
		{"@**Bob**", html("77", "Bob"), "@**Bob**", html("77", "Bob")},
	} {
		if content, rendered := a.Text(c.content, c.rendered); content != c.wantContent || rendered != c.wantRendered {
			t.Errorf("%s: %s, %s", c.content, content, rendered)
		}
	}
}
