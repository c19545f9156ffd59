package notifications_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/notification"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/ports"
)

// TestNotify checks that a module can notify users of a message that does not mention them, as their settings say.
func TestNotify(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		var notifier ports.Notifier
		var decided []string
		all := slices.DeleteFunc(modules(), push.Module.Same)
		s := kittest.StartWith(t, kittest.Options{DatabaseURL: url}, append(all, kit.Define("pager", "Pages users.",
			kit.None{}, func(_ kit.None, n struct {
				fx.In
				Notifier ports.Notifier
			}) (kit.Parts, error) {
				notifier = n.Notifier
				return kit.Parts{Hooks: []kit.Hook{kit.On(func(_ context.Context, m *notification.Decided) error {
					for _, x := range m.Notices {
						decided = append(decided, fmt.Sprintf("%d %d %s %s", x.User, x.Message, x.Push, x.Email))
					}
					return nil
				})}}, nil
			}))...)
		s.As("olga").Do("PATCH /settings", "enable_offline_email_notifications", "false").OK()
		id := s.As("alice").Do("POST /messages", "type", "channel", "to", "general", "topic", "t", "content", "Help").
			OK().Int("id")
		s.RunJob("notifications.judge notifications")
		if err := notifier.Notify(t.Context(), s.Realm, message.ID(id),
			s.UserID("alice"), s.UserID("bob"), s.UserID("olga"), s.UserID("bot")); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%d %d mentioned mentioned;%d %d mentioned ", s.UserID("bob"), id, s.UserID("olga"), id)
		if got := strings.Join(decided, ";"); got != want {
			t.Errorf("decided %q, not %q", got, want)
		}
		if err := notifier.Notify(t.Context(), s.Realm, 99, s.UserID("bob")); err == nil {
			t.Error("a missing message notifies")
		}
	})
}
