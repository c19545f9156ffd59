package events

import (
	"strconv"
	"strings"
)

// The first version of the legacy mobile app that supports pronouns profile fields.
const (
	pronounsMajor = 27
	pronounsMinor = 192
)

// plainPronouns reports whether a User-Agent belongs to a client that fails on profile fields for pronouns.
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
