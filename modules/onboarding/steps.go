package onboarding

import "slices"

// step is a hint that a client shows once.
type step struct {
	Type string `json:"type"` // one_time_notice is shown, one_time_action is done by the client
	Name string `json:"name"` // what clients know it by
}

// tour is the notice that leads to a film. Without a film there is none.
const tour = "navigation_tour_video"

// steps gives all hints that clients know, in the order in which they come.
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

// remaining gives the hints that are still to be shown to somebody who has seen some.
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
