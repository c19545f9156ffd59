package user

import (
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// timezone accepts names of the IANA database, and "" for none. time.LoadLocation searches the machine's files, which
// have more paths than the names known to clients, some of which may fail on an unknown name.
func timezone(_ string, v any) error {
	s, ok := v.(string)
	if ok && s == "" {
		return nil
	}
	if !ok || len(s) > maxZone || !isZoneName(s) {
		return errTimezone()
	}
	if _, err := time.LoadLocation(s); err != nil {
		return errTimezone()
	}
	return nil
}

const maxZone = 40

// Files that are not zones of the database, and directories that duplicate it.
var (
	excludedNames   = []string{"Factory", "Local", "localtime", "posixrules"}
	excludedFolders = []string{"posix", "right"}
)

// isZoneName reports whether s has the form of a zone name: words separated by slashes that begin with a letter.
func isZoneName(s string) bool {
	words := strings.Split(s, "/")
	for _, word := range words {
		if word == "" || strings.Trim(word, letters+"0123456789_+-") != "" || !strings.Contains(letters, word[:1]) {
			return false
		}
	}
	return !slices.Contains(excludedNames, s) && !slices.Contains(excludedFolders, words[0])
}

func errTimezone() error { return errs.Bad("timezone is not a recognized time zone") }
