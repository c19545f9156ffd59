package group

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Maximum lengths in code points.
const (
	MaxName        = 100
	MaxDescription = 1024
)

// CheckName validates a name and returns its stored form. It refuses names that a mention would interpret as something
// else. key is directory.View.NameKey. Errors: BadRequest.
func CheckName(name string, key func(string) string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "" || utf8.ValidString(name) && !strings.ContainsFunc(name, user.IsVisible):
		return "", errs.Bad("User group name can't be empty!")
	case user.FirstInvisible(name) > 0: // such a name could not be mentioned unambiguously
		return "", errs.Bad("Invalid characters in user group name!")
	case utf8.RuneCountInString(name) > MaxName:
		return "", errs.Bad("User group name cannot exceed %d characters.", MaxName)
	}
	for _, prefix := range []string{"@", "role:", "user:", "stream:", "channel:"} {
		if strings.HasPrefix(key(name), prefix) {
			return "", errs.Bad("User group name cannot start with '%s'.", prefix)
		}
	}
	return name, nil
}

// CheckDescription refuses descriptions that are too long or not valid text. Errors: BadRequest.
func CheckDescription(text string) error {
	switch {
	case utf8.RuneCountInString(text) > MaxDescription:
		return errs.Bad("description is too long (limit: %d characters)", MaxDescription)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errs.Bad("Invalid character in user group description.")
	}
	return nil
}
