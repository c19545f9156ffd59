package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

var heading = regexp.MustCompile(`^## \[?([^\]\s]+)\]?(?: - (\d{4}-\d{2}-\d{2}))?\s*$`)

// changesOf returns the section of a version in a file with the format of Keep a Changelog, without its heading.
func changesOf(path, version string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	found := false
	for line := range strings.Lines(string(text)) {
		if m := heading.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			found = m[1] == version
			if found && m[2] == "" {
				return "", fmt.Errorf("%s: the version %s has no date; write ## %s - YYYY-MM-DD", path, version, version)
			}
			continue
		}
		if found {
			b.WriteString(line)
		}
	}
	section := strings.TrimSpace(b.String())
	if section == "" {
		return "", fmt.Errorf("%s: the version %s has no section, or an empty one", path, version)
	}
	return section + "\n", nil
}
