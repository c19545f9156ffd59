package openapi

import (
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/modules/kit"
)

// camel returns a name in Go's or in the wire's spelling as an upper camel case name.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// verbs are the first words of operation IDs that are made of a method and a path.
var verbs = map[string]string{
	http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "put", http.MethodPatch: "update",
	http.MethodDelete: "delete",
}

// OperationID returns the name of an operation.
func OperationID(e kit.Endpoint) string {
	if e.OperationID != "" {
		return e.OperationID
	}
	path := strings.TrimPrefix(e.Path, "/")
	if rest, ok := strings.CutPrefix(path, "users/me"); ok {
		path = strings.TrimSuffix("own"+rest, "/")
	}
	segments := strings.Split(path, "/")
	last := len(segments) - 1
	id := verbs[e.Method]
	switch {
	case last == 0 && slices.Contains(commands, strings.Split(path, "_")[0]):
		name := camel(path)
		return strings.ToLower(name[:1]) + name[1:]
	case e.Method == http.MethodPost && slices.Contains(actions, segments[last]):
		id, segments = segments[last], segments[:last]
	}
	for i, s := range segments {
		if strings.HasPrefix(s, ":") {
			continue
		}
		if i+1 < len(segments) && strings.HasPrefix(segments[i+1], ":") || i == len(segments)-1 && id != "get" &&
			e.Method == http.MethodPost {
			s = singular(s)
		}
		id += camel(s)
	}
	return id
}

// actions are last segments of paths that say what a POST does.
var actions = []string{"activate", "create", "deactivate", "reactivate", "regenerate", "resend"}

// commands are the first words of paths that consist of what a request does, such as mark_all_as_read.
var commands = []string{"get", "mark", "register", "remove"}

// singular returns the singular of an English noun in a path.
func singular(s string) string {
	switch {
	case slices.Contains([]string{"status", "me", "emoji", "settings", "narrow"}, s):
		return s
	case strings.HasSuffix(s, "ies"):
		return strings.TrimSuffix(s, "ies") + "y"
	case strings.HasSuffix(s, "ss"):
		return s
	}
	return strings.TrimSuffix(s, "s")
}

// fromType returns the description that an ID's type implies, such as "The ID of the user.".
func fromType(pkg, name string) string {
	var noun string
	switch {
	case pkg == "ids":
		noun = strings.ToLower(name)
	case name == "ID":
		noun = strings.ReplaceAll(pkg, "_", " ")
	case strings.HasSuffix(name, "ID"):
		noun = strings.ToLower(strings.TrimSuffix(name, "ID"))
	default:
		return ""
	}
	if known, ok := nouns[noun]; ok {
		noun = known
	}
	return "The ID of the " + noun + "."
}

// nouns are the words for IDs whose package or type is not spelled like the words of the API.
var nouns = map[string]string{
	"bundle": "default channel group", "group": "user group", "invite": "invitation",
	"profilefield": "custom profile field",
	"snippet":      "saved snippet", "scheduled": "scheduled message or reminder", "realm": "organization",
	"upload": "uploaded file", "folder": "channel folder", "playground": "code playground", "session": "browser session",
}
