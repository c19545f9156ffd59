package subscribing

import "github.com/stoachat/stoa/modules/kit"

// diagnoses returns the package's checks of stoa doctor. The lists are part of the view, which logs their changes; the
// rows are not, so that the lists are right where the two differ.
func diagnoses() []kit.Diagnosis {
	const listed = "(',' || COALESCE((SELECT l.channels FROM subscribed_channels l WHERE l.user_id = r.user_id), '') " +
		"|| ',' LIKE '%,' || CAST(r.channel_id AS text) || ',%')"
	return []kit.Diagnosis{{
		Name: "subscriptions", Doc: "Each subscription belongs to a channel and is in the list of its user.",
		Wrong: []kit.Wrong{{
			Table: "subscriptions", Where: "NOT EXISTS (SELECT 1 FROM channels c WHERE c.id = r.channel_id)",
			Text: "belong to no channel", Fix: kit.Delete,
		}, {
			Table: "subscriptions", Where: "r.active <> " + listed, Text: "differ from the list of the user's channels",
			Fix: "active = NOT active",
		}},
	}}
}
