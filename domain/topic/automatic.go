package topic

// When determines which participation automatically follows or unmutes a topic. Its number is the wire value of
// automatically_follow_topics_policy and automatically_unmute_topics_in_muted_streams_policy.
type When int

// The values.
const (
	OnParticipation When = iota + 1
	OnSend
	OnStart
	Never
)

// Participation is the degree of a user's participation in a topic. Each value implies the lower ones.
type Participation int

// The degrees of participation.
const (
	TookPart Participation = iota + 1 // reacted
	Wrote
	Started // sent the first message in the topic that they can see
)

func (w When) fits(p Participation) bool { return w != Never && int(w) <= int(p) }

// OnlyStart returns OnStart if w is OnStart, and Never otherwise.
func (w When) OnlyStart() When {
	if w == OnStart {
		return OnStart
	}
	return Never
}

// Automatic returns a user's policy for a topic after participating in it, which never makes the topic less visible.
// inMuted reports whether the channel is muted. A user who already has a policy for the topic does not count as having
// started it.
func Automatic(old Visibility, follow, unmute When, participation Participation, inMuted bool) Visibility {
	if participation == Started && old != None {
		participation = Wrote
	}
	switch {
	case old == Followed || follow.fits(participation):
		return Followed
	case inMuted && unmute.fits(participation):
		return Unmuted
	}
	return old
}

// OnMention returns the new policy of a mentioned user who automatically follows topics on mention.
func OnMention(old Visibility) Visibility {
	if old == Muted {
		return Muted
	}
	return Followed
}

// Merged returns the policy for a topic into which all messages of another were moved, given the policies for both.
// fresh means that the target had no messages.
func Merged(moved, there Visibility, fresh bool) Visibility {
	if fresh || visible(moved) > visible(there) {
		return moved
	}
	return there
}

// Carried returns the policy that the writer of messages takes along when they are moved to another topic, given their
// policy for the former one: that policy if they acquired it automatically by taking part, and otherwise no more than
// writing there would have given them. inMuted reports whether the former channel is muted.
func Carried(had Visibility, automatic bool, follow, unmute When, inMuted bool) Visibility {
	if visible(had) <= visible(None) {
		return None
	}
	if automatic {
		return had
	}
	earned := Automatic(None, follow, unmute, Wrote, inMuted)
	if visible(earned) < visible(had) {
		return earned
	}
	return had
}

// visible returns the rank of a policy: followed is the highest, then unmuted, none and muted.
func visible(p Visibility) int {
	if p == None {
		return 2*int(Muted) + 1
	}
	return 2 * int(p)
}
