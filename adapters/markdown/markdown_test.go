package markdown_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stoachat/stoa/adapters/emoji"
	"github.com/stoachat/stoa/adapters/markdown"
	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	custom "github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/idset"
	md "github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

var renderer = sync.OnceValue(func() ports.Renderer {
	return markdown.New(markdown.Config{}, emoji.New(), nil, nil, nil)
})

func view() *directory.View {
	b := &directory.Builder{}
	b.User(&user.User{ID: 31, FullName: "Ann Lee", DeliveryEmail: "ann@example.com", Role: user.Member, Active: true})
	b.User(&user.User{ID: 32, FullName: "Bob", DeliveryEmail: "bob@example.com", Role: user.Member})
	b.User(&user.User{ID: 33, FullName: "<Eve>", DeliveryEmail: "eve@example.com", Role: user.Guest, Active: true})
	b.User(&user.User{ID: 34, FullName: "all", DeliveryEmail: "all@example.com", Role: user.Member, Active: true})
	b.User(&user.User{ID: 35, FullName: "Kim", DeliveryEmail: "kim@example.com", Role: user.Member})
	b.User(&user.User{ID: 36, FullName: "Kim", DeliveryEmail: "kim2@example.com", Role: user.Member, Active: true})
	b.Group(&group.Group{ID: 117, Name: "hamlets", Members: idset.Of[user.ID](31)})
	b.Group(&group.Group{ID: 118, Name: "gone", Deactivated: true})
	b.Channel(&channel.Channel{ID: 9, Name: "announce", HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 10, Name: "den", Private: true, HistoryPublic: true})
	b.Channel(&channel.Channel{ID: 11, Name: "a b.c/d é", HistoryPublic: true})
	return b.View(1).Apply(2, custom.Change(nil,
		&custom.Custom{ID: 1, Name: "green_tick", Source: "/user_avatars/2/emoji/images/1.png"}),
		custom.Change(nil, &custom.Custom{ID: 2, Name: "old_tick", Source: "/user_avatars/2/emoji/images/2.png",
			Deactivated: true}))
}

func render(t *testing.T, s md.Source) md.Output {
	t.Helper()
	out, err := renderer().Render(context.Background(), view(), s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// row is a text and its expected rendering.
type row struct{ name, in, want string }

// check renders the texts, compares the results, and checks that clients accept them.
func check(t *testing.T, source func(text string) md.Source, rows []row) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			s := source(c.in)
			s.Background = true // with more time, so that a busy machine omits nothing
			got := render(t, s).HTML
			if got != c.want {
				t.Errorf("%q\n got %s\nwant %s", c.in, got, c.want)
			}
			for _, problem := range problems(got) {
				t.Errorf("%q: clients reject it: %s\n%s", c.in, problem, got)
			}
		})
	}
}

func byAnn(text string) md.Source { return md.Source{Text: text, Sender: 31} }

func TestOutput(t *testing.T) {
	out := render(t, md.Source{Sender: 31, Text: "@**Ann Lee** @**Ann Lee** @*hamlets* @**all** https://x.org"})
	if !slices.Equal(out.Users, []user.ID{31}) || !slices.Equal(out.Groups, []group.ID{117}) || !out.ChannelWildcard ||
		out.TopicWildcard || !out.Link {
		t.Errorf("got %+v", out)
	}
	quiet := render(t, md.Source{Sender: 31, Text: "> @**Ann Lee** @*hamlets* @**all** @**topic**\n\n@_**all** @**Bob**"})
	if len(quiet.Users) > 0 || len(quiet.Groups) > 0 || quiet.ChannelWildcard || quiet.TopicWildcard {
		t.Errorf("a quote or silent mention notifies: %+v", quiet)
	}
	if d := render(t, md.Source{Text: "#**den** #**announce**", Description: true}); strings.Contains(d.HTML,
		"data-stream-id=\"10\"") || !strings.Contains(d.HTML, "data-stream-id=\"9\"") {
		t.Errorf("a description links to something that its readers may not see: %s", d.HTML)
	}
	if d := render(t, md.Source{Text: "@**Ann Lee**", Description: true}); len(d.Users) > 0 ||
		strings.Contains(d.HTML, "user-mention") {
		t.Errorf("a description contains mentions: %+v", d)
	}
}

// A profile contains links only to public channels that its author can access, so that guests learn nothing from it.
func TestProfilesLink(t *testing.T) {
	sub := func(c channel.ID, u user.ID) directory.Change {
		return directory.Change{Subs: &directory.Subs{Channel: c, Add: user.Set{u}}}
	}
	v := view().Apply(3, sub(10, 31), sub(11, 33))
	// 0 stands for access to everything; the others are a member, a deactivated user and a guest.
	for who, want := range map[user.ID]string{0: "9 11", 31: "9 11", 32: "", 33: "11"} {
		text := "#**announce** #**announce>x** #**announce>x@4** #**den** #**den>x** #**a b.c/d é** #**nowhere**"
		out, err := renderer().Render(context.Background(), v, md.Source{Text: text, Sender: who, Description: true})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range []string{"9", "10", "11"} {
			if strings.Contains(out.HTML, `data-stream-id="`+id+`"`) || strings.Contains(out.HTML, "channel/"+id) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d links to %v, want %q: %s", who, got, want, out.HTML)
		}
	}
}

func TestTooLarge(t *testing.T) {
	_, err := renderer().Render(context.Background(), view(), md.Source{Text: strings.Repeat(":smile: ", 20_000)})
	if !errs.Is(err, errs.BadRequest) {
		t.Errorf("got %v", err)
	}
}
