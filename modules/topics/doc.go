// Package topics stores users' topic policies: muted, unmuted or followed. Users can have topics followed or unmuted
// automatically when they start a topic, write in it, or react to a message in it (triggers.go).
//
// When a whole topic is renamed or moved, the policies of users who can access the new place move with it (move.go).
// When a part of it is moved, users whose messages are among it, and who have a policy because they wrote in the topic,
// also get it for the new place (carry.go).
//
// Queries: answers readstate.MutedPlaces, TopicFollowers and TopicPolicies; asks message.TopicStarts,
// channel.MutedAmong and KeptAmong. Hooks: handles message.Edited, Emptied, Reacted and Participated, and
// directory.Changed. Ports: provides AutomaticPolicies to messages, and TopicPolicies.
//
// Table: user_topics. Events: user_topic, and muted_topics for older clients.
package topics
