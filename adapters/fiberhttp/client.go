package fiberhttp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxClientName = 30
	maxAgent      = 500
	unnamed       = "Unspecified"
)

// clientName derives the client's name from its User-Agent: the text before the first slash, without the version.
func clientName(agent string) string {
	name := agent
	if i := strings.IndexAny(agent, "/ "); i >= 0 && agent[i] == '/' {
		name = agent[:i]
	} else if i >= 0 {
		if j := strings.IndexAny(agent[i:], "0123456789/("); j >= 0 {
			name = agent[:i+j]
			if agent[i+j] != '/' {
				name = name[:strings.LastIndexByte(name, ' ')]
			}
		}
	}
	return shortName(name)
}

// shortName normalizes a client's name as it is stored: printable, trimmed and limited in length.
func shortName(name string) string {
	name = strings.TrimSpace(printable(name))
	if utf8.RuneCountInString(name) > maxClientName {
		name = strings.TrimSpace(string([]rune(name)[:maxClientName]))
	}
	if name == "" {
		return unnamed
	}
	return name
}

// printable removes non-printable characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}

// agentOf returns a printable copy of the User-Agent, limited in length.
func agentOf(header []byte) string {
	return printable(string(header[:min(len(header), maxAgent)]))
}
