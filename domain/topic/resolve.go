package topic

import "strings"

// Resolving reports whether a rename only marks a topic as resolved. now is the requested name before truncation.
func Resolving(old, now string) bool {
	rest, marked := strings.CutPrefix(now, ResolvedPrefix)
	return marked && !Resolved(old) && rest == old
}

// Unresolving reports whether a rename only removes the mark of a resolved topic.
func Unresolving(old, now string) bool {
	return Resolved(old) && !Resolved(now) && strings.TrimLeft(old, ResolvedPrefix) == now
}

// Toggling reports whether a rename only adds or removes the mark of a resolved topic.
func Toggling(old, now string) bool { return Resolving(old, now) || Unresolving(old, now) }

// ResolvesEmpty reports whether a name would mark the empty topic as resolved, which is not possible.
func ResolvesEmpty(now string) bool {
	name := strings.TrimSpace(now)
	mark := strings.TrimSpace(ResolvedPrefix)
	rest, marked := strings.CutPrefix(name, mark)
	return marked && Canonical(strings.TrimSpace(rest)) == ""
}
