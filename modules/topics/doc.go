// Package topics stores users' topic policies: muted, unmuted or followed. Users can have topics followed or unmuted
// automatically when they start, write in, or react to them; raise.go implements that.
//
// Policies move with the messages when a whole topic is renamed or moved, for users who may see the new place
// (move.go).
//
// Ports: it provides TopicPolicies. Queries: it answers readstate.MutedPlaces and TopicFollowers, and asks
// message.TopicStarts, channel.MutedAmong and KeptAmong. Hooks: it handles message.Sent, Edited, Emptied, Reacted and
// Participated, and directory.Changed.
// Table: user_topics. Events: user_topic; muted_topics for older clients.
package topics
