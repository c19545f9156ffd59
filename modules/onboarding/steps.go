package onboarding

import "slices"

// step is a hint that a client shows once.
type step struct {
	Type string `json:"type" doc:"one_time_notice or one_time_action."`
	Name string `json:"name"` // identifies the hint to clients
}

// tour is the notice about the introductory video. It is omitted if no video is configured.
const tour = "navigation_tour_video"

// steps returns all hints that clients support, in order.
func steps() []step {
	notice := func(name string) step { return step{"one_time_notice", name} }
	return []step{
		notice("visibility_policy_banner"),
		notice("intro_inbox_view_modal"),
		notice("intro_recent_view_modal"),
		notice("first_stream_created_banner"),
		notice("jump_to_conversation_banner"),
		notice("non_interleaved_view_messages_fading"),
		notice("interleaved_view_messages_fading"),
		notice("intro_resolve_topic"),
		notice(tour),
		{"one_time_action", "narrow_to_dm_with_welcome_bot_new_user"},
	}
}

func known(name string) bool {
	return slices.ContainsFunc(steps(), func(s step) bool { return s.Name == name })
}

// remaining returns the hints not yet seen.
func (c Config) remaining(seen []string) []step {
	left := []step{}
	if !c.Hints {
		return left
	}
	for _, s := range steps() {
		if !slices.Contains(seen, s.Name) && (s.Name != tour || c.TourVideo != "") {
			left = append(left, s)
		}
	}
	return left
}
