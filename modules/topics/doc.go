// Package topics keeps what people have set for topics: muted, unmuted or followed. People may have topics followed or
// unmuted automatically when they start, write in or react to them; policies.go decides that.
//
// Settings move with the messages when a whole topic is renamed or moved, for whoever may see the new place (move.go).
//
// Ports: it provides TopicPolicies. It answers readstate.Muting and Followers, and reacts to
// message.Sent, Edited, Emptied, Reacted and Participated, and to directory.Changed.
// Table: user_topics. Events: user_topic; muted_topics for older clients.
package topics
