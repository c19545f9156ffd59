package topic

import "strings"

// Resolving tells whether giving a topic another name marks it as resolved and does nothing else. now is the name that
// was asked for, before it was cut to the longest there may be.
func Resolving(old, now string) bool {
	rest, marked := strings.CutPrefix(now, ResolvedPrefix)
	return marked && !Resolved(old) && rest == old
}

// Unresolving tells whether giving a topic another name only takes the mark of a resolved one away.
func Unresolving(old, now string) bool {
	return Resolved(old) && !Resolved(now) && strings.TrimLeft(old, ResolvedPrefix) == now
}

// Toggling is either of the two.
func Toggling(old, now string) bool { return Resolving(old, now) || Unresolving(old, now) }

// ResolvesEmpty tells whether a name would be that of the empty topic marked as resolved, which can't be.
func ResolvesEmpty(now string) bool {
	name := strings.TrimSpace(now)
	mark := strings.TrimSpace(ResolvedPrefix)
	rest, marked := strings.CutPrefix(name, mark)
	return marked && Meant(strings.TrimSpace(rest)) == ""
}
