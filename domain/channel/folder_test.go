package channel

import (
	"strings"
	"testing"
)

func TestCheckFolderName(t *testing.T) {
	const invalid = "Invalid character in channel folder name, at position "
	for _, c := range []struct{ in, want, err string }{
		{" Work 東京 ", "Work 東京", ""},
		{strings.Repeat("東", 60), strings.Repeat("東", 60), ""},
		{strings.Repeat("東", 61), "", "name is too long (limit: 60 characters)"},
		{"\u3000", "", "Channel folder name can't be empty."},
		{"\u200d\ufe0f", "", "Channel folder name can't be empty."},
		{"\u200b", "", invalid + "1."},
		{"\u3164", "", invalid + "1."},
		{"a\u202eb", "", invalid + "2."},
		{"a\x00", "", invalid + "2."},
	} {
		got, err := CheckFolderName(c.in)
		if got != c.want || text(err) != c.err {
			t.Errorf("CheckFolderName(%+q) = %q, %q; want %q, %q", c.in, got, text(err), c.want, c.err)
		}
	}
}

func TestCheckFolders(t *testing.T) {
	all := []Folder{{ID: 1, Name: "Work"}, {ID: 2, Name: "WORK"}, {ID: 3, Name: "Rest"},
		{ID: 4, Name: "Rest", Archived: true}}
	for _, c := range []struct {
		name string
		f    Folder
		ok   bool
	}{
		{"another", Folder{Name: "Play"}, true},
		{"taken", Folder{Name: "rest"}, false},
		{"its own in another case", Folder{ID: 3, Name: "REST"}, true},
		{"its own, shared with another", Folder{ID: 1, Name: "Work"}, true},
		{"another folder's", Folder{ID: 3, Name: "work"}, false},
		{"archived", Folder{ID: 3, Name: "work", Archived: true}, true},
		{"unarchived, with another's name", Folder{ID: 4, Name: "Rest"}, false},
	} {
		if err := CheckFolders(all, &c.f, strings.ToLower); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
