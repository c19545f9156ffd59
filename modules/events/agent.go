package events

import (
	"strconv"
	"strings"
)

// The first version of the older mobile app that knows profile fields for pronouns.
const (
	pronounsMajor = 27
	pronounsMinor = 192
)

// plainPronouns tells whether a User-Agent is of a client that fails at profile fields for pronouns.
func plainPronouns(agent string) bool {
	rest, ok := strings.CutPrefix(agent, "ZulipMobile/")
	if !ok {
		return false
	}
	version, _, _ := strings.Cut(rest, " ")
	parts := strings.SplitN(version, ".", 3)
	major, err := strconv.Atoi(parts[0])
	if err != nil || len(parts) < 2 {
		return false
	}
	minor, err := strconv.Atoi(parts[1])
	return err == nil && (major < pronounsMajor || major == pronounsMajor && minor < pronounsMinor)
}
