package user

import (
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
)

// timezone takes names of the IANA database, and "" for none chosen. Zones are looked up in the files of the machine,
// where there are more than have a name that clients know, and more ways than one to write the path of a file; others'
// clients may fail at those.
func timezone(_ string, v any) error {
	s, ok := v.(string)
	if ok && s == "" {
		return nil
	}
	if !ok || len(s) > maxZone || !zoneName(s) {
		return noZone()
	}
	if _, err := time.LoadLocation(s); err != nil {
		return noZone()
	}
	return nil
}

const maxZone = 40

// Files that are no zones of the database, and folders with the same zones once more.
var (
	noZones   = []string{"Factory", "Local", "localtime", "posixrules"}
	noFolders = []string{"posix", "right"}
)

// zoneName tells whether s is written as names of zones are: words between slashes that begin with a letter.
func zoneName(s string) bool {
	words := strings.Split(s, "/")
	for _, word := range words {
		if word == "" || strings.Trim(word, letters+"0123456789_+-") != "" || !strings.Contains(letters, word[:1]) {
			return false
		}
	}
	return !slices.Contains(noZones, s) && !slices.Contains(noFolders, words[0])
}

func noZone() error { return errs.Bad("timezone is not a recognized time zone") }
