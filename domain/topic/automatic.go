package topic

// When determines which participation automatically follows or unmutes a topic. Its number is the wire value of
// automatically_follow_topics_policy and automatically_unmute_topics_in_muted_streams_policy.
type When int

// The values.
const (
	OnPart When = iota + 1
	OnSend
	OnStart
	Never
)

// Part is a user's participation in a topic. Each value implies the lower ones.
type Part int

// The kinds of participation.
const (
	TookPart Part = iota + 1 // reacted
	Wrote
	Started // sent the first message in the topic that they can see
)

func (w When) fits(p Part) bool { return w != Never && int(w) <= int(p) }

// OnlyStart reduces a setting to OnStart or Never.
func (w When) OnlyStart() When {
	if w == OnStart {
		return OnStart
	}
	return Never
}

// Automatic returns a user's policy after participating; policies only rise. inMuted reports whether the channel is
// muted. A topic counts as started only without a policy.
func Automatic(had Visibility, follow, unmute When, did Part, inMuted bool) Visibility {
	if did == Started && had != None {
		did = Wrote
	}
	switch {
	case had == Followed || follow.fits(did):
		return Followed
	case inMuted && unmute.fits(did):
		return Unmuted
	}
	return had
}

// OnMention returns the policy of a mentioned user whose settings follow topics on mention.
func OnMention(had Visibility) Visibility {
	if had == Muted {
		return Muted
	}
	return Followed
}

// Merged returns the policy for a topic into which all of another was moved, given the policies of both; fresh: the
// topic had no messages.
func Merged(moved, there Visibility, fresh bool) Visibility {
	if fresh || visible(moved) > visible(there) {
		return moved
	}
	return there
}

// visible ranks policies: followed, unmuted, none, muted.
func visible(p Visibility) int {
	if p == None {
		return 2*int(Muted) + 1
	}
	return 2 * int(p)
}
