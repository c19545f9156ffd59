package directory_test

import (
	"fmt"
	"testing"

	"github.com/stoachat/stoa/domain/alertword"
	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/emoji"
	"github.com/stoachat/stoa/domain/linkifier"
	"github.com/stoachat/stoa/domain/user"
)

func benchView() *directory.View {
	var d directory.Builder
	for i := range 10_000 {
		d.User(&user.User{ID: user.ID(i + 10), DeliveryEmail: fmt.Sprintf("p%d@example.com", i),
			FullName: fmt.Sprintf("Person %d", i), Role: user.Member, Active: true})
	}
	var all []*emoji.Custom
	bots := map[user.ID]*bot.Bot{}
	for i := range 500 {
		all = append(all, &emoji.Custom{ID: emoji.ID(i + 1), Name: fmt.Sprintf("emoji_%d", i)})
		bots[user.ID(i+10)] = &bot.Bot{ID: user.ID(i + 10), AllPublic: true}
	}
	emoji.Shared.Put(&d, emoji.NewIndex(all...))
	bot.Shared.Put(&d, bots)
	linkifier.Shared.Put(&d, linkifier.NewList())
	alertword.Shared.Put(&d, alertword.NewIndex(map[user.ID][]string{10: {"lunch"}}))
	return d.View(1)
}

func BenchmarkShared(b *testing.B) {
	v := benchView()
	b.Run("emoji", func(b *testing.B) {
		for b.Loop() {
			emoji.In(v).Named("emoji_77")
		}
	})
	b.Run("bot", func(b *testing.B) {
		for b.Loop() {
			bot.In(v, 77)
		}
	})
	b.Run("linkifiers", func(b *testing.B) {
		for b.Loop() {
			linkifier.In(v)
		}
	})
	b.Run("alerted", func(b *testing.B) {
		for b.Loop() {
			alertword.Alerted(v, "time for some lunch now")
		}
	})
	b.Run("apply user", func(b *testing.B) {
		u := v.User(77)
		now := *u
		for b.Loop() {
			v.Apply(2, directory.OfUser(u, &now))
		}
	})
	b.Run("apply emoji", func(b *testing.B) {
		e := emoji.In(v).Get(7)
		now := *e
		for b.Loop() {
			v.Apply(2, emoji.Change(e, &now))
		}
	})
	b.Run("AsOf", func(b *testing.B) {
		for b.Loop() {
			v.AsOf(2, v.Now())
		}
	})
}
