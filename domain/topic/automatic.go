package topic

// When is on what a topic is followed, or unmuted, by itself; the number is the wire value of the settings
// automatically_follow_topics_policy and automatically_unmute_topics_in_muted_streams_policy.
type When int

// The values.
const (
	OnPart When = iota + 1
	OnSend
	OnStart
	Never
)

// Part is what somebody does in a topic. What is more is also what is less: who starts a topic sends, and takes part.
type Part int

// The parts.
const (
	TookPart Part = iota + 1 // reacted
	Wrote
	Started // wrote the first message there that they can see
)

func (w When) fits(p Part) bool { return w != Never && int(w) <= int(p) }

// OnlyStart leaves of a setting what it says of who starts a topic.
func (w When) OnlyStart() When {
	if w == OnStart {
		return OnStart
	}
	return Never
}

// Automatic gives the policy that somebody has after having done that: the policies only raise. inMuted tells whether
// they have muted the channel. Only a topic without a policy counts as started.
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

// OnMention gives the policy of somebody who is mentioned and follows topics because of that.
func OnMention(had Visibility) Visibility {
	if had == Muted {
		return Muted
	}
	return Followed
}

// Merged gives the policy for the topic to which all of another was moved, from those for both; fresh: the topic had no
// messages.
func Merged(moved, there Visibility, fresh bool) Visibility {
	if fresh || visible(moved) > visible(there) {
		return moved
	}
	return there
}

// visible is how much a policy shows: followed more than unmuted, this more than none, and muted least.
func visible(p Visibility) int {
	if p == None {
		return 2*int(Muted) + 1
	}
	return 2 * int(p)
}
