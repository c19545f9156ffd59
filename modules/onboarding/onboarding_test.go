package onboarding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/onboarding"
	"github.com/stoachat/stoa/modules/realm"
)

func TestModule(t *testing.T) {
	kittest.Check(t, onboarding.Module, realm.Module, accounts.Module)
}

func start(t *testing.T, url, config string) *kittest.Server {
	t.Helper()
	return kittest.StartWith(t, kittest.Options{DatabaseURL: url,
		Config: "modules: {accounts: {password_memory_kib: 8, password_passes: 1}" + config + "}"},
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, events.Module, onboarding.Module)
}

// hints returns the names of the hints in an answer or event.
func hints(a *kittest.Response, at string) string {
	list, ok := a.Get(at).([]any)
	if !ok {
		return "none"
	}
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.(map[string]any)["name"].(string)
	}
	return strings.Join(names, " ")
}

const all = "visibility_policy_banner intro_inbox_view_modal intro_recent_view_modal first_stream_created_banner " +
	"jump_to_conversation_banner " +
	"non_interleaved_view_messages_fading interleaved_view_messages_fading intro_resolve_topic " +
	"narrow_to_dm_with_welcome_bot_new_user"

const path = "POST /users/me/onboarding_steps"

func TestHints(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		s := start(t, url, "")
		register := func(who string) *kittest.Queue {
			return s.As(who).Register("event_types", `["onboarding_steps"]`, "fetch_event_types", `["onboarding_steps"]`)
		}
		queue := register("bob")
		if got := hints(queue.Start, "onboarding_steps"); got != all {
			t.Errorf("at first: %s", got)
		}
		if got := kittest.JSON(queue.Start.Get("onboarding_steps.8")); got !=
			`{"name":"narrow_to_dm_with_welcome_bot_new_user","type":"one_time_action"}` {
			t.Errorf("an action: %s", got)
		}
		if video := queue.Start.Get("navigation_tour_video_url"); video != nil {
			t.Errorf("the video: %v", video)
		}
		s.Skip()
		s.As("bob").Do(path, "onboarding_step", "intro_inbox_view_modal").OK()
		s.Events(fmt.Sprintf(`onboarding_steps user:bob {"user":%d}`, s.UserID("bob")))
		s.As("bob").Do(path, "onboarding_step", "intro_inbox_view_modal").OK() // repeated
		s.As("bob").Do(path, "onboarding_step", "intro_nowhere").Error(400, "BAD_REQUEST",
			"Unknown onboarding_step: intro_nowhere")
		s.As("bob").Do(path).Error(400, "REQUEST_VARIABLE_MISSING", "Missing 'onboarding_step' argument")
		s.NoEvents()
		left := strings.Replace(all, "intro_inbox_view_modal ", "", 1)
		poll := queue.Take()
		if got := hints(poll, "events.0.onboarding_steps"); got != left {
			t.Errorf("the event: %s", got)
		}
		s.Restart()
		if got := hints(register("bob").Start, "onboarding_steps"); got != left {
			t.Errorf("after a restart: %s", got)
		}
		if got := hints(register("alice").Start, "onboarding_steps"); got != all {
			t.Errorf("alice: %s", got)
		}
	})
}

func TestConfig(t *testing.T) {
	s := start(t, "", ", onboarding: {tour_video: 'https://example.com/tour.mp4'}")
	a := s.As("bob").Do("POST /register", "fetch_event_types", `["onboarding_steps"]`).OK()
	if got := hints(a, "onboarding_steps"); !strings.Contains(got, "navigation_tour_video") ||
		a.String("navigation_tour_video_url") != "https://example.com/tour.mp4" {
		t.Errorf("with a video: %s, %v", got, a.Get("navigation_tour_video_url"))
	}
	s = start(t, "", ", onboarding: {hints: false}")
	if got := hints(s.As("bob").Do("POST /register", "fetch_event_types", `["onboarding_steps"]`).OK(),
		"onboarding_steps"); got != "" {
		t.Errorf("without hints: %s", got)
	}
	for _, wrong := range []string{"tour.mp4", "javascript:alert(1)", "https://", "ftp://example.com/x"} {
		if err := (onboarding.Config{TourVideo: wrong}).Validate(); err == nil ||
			!strings.HasPrefix(err.Error(), "tour_video: ") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
