package channel

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// FolderID identifies a folder of channels.
type FolderID int64

// Folder is a folder of channels.
type Folder struct {
	ID          FolderID
	Name        string
	Description string
	Rendered    string // Description as HTML
	Order       int    // position among all folders, from 0
	Creator     user.ID
	Created     time.Time
	Archived    bool
}

// FolderRecord is a folder in wire form.
type FolderRecord struct {
	ID          FolderID `json:"id"`
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Rendered    string   `json:"rendered_description"`
	Order       int      `json:"order"`
	Creator     *user.ID `json:"creator_id"`
	Created     int64    `json:"date_created"` // Unix seconds
	Archived    bool     `json:"is_archived"`
}

// Record returns the wire form.
func (f *Folder) Record() FolderRecord {
	r := FolderRecord{
		ID: f.ID, Name: f.Name, Description: f.Description, Rendered: f.Rendered, Order: f.Order, Created: f.Created.Unix(),
		Archived: f.Archived,
	}
	if f.Creator != 0 {
		r.Creator = &f.Creator
	}
	return r
}

// Limits on folders.
const (
	MaxFolderName        = 60 // characters
	MaxFolderDescription = 1024
	MaxFolders           = 500
)

// CheckFolderName validates a folder's name and returns its stored form. Errors: BadRequest.
func CheckFolderName(sent string) (string, error) {
	name := strings.TrimSpace(sent)
	switch {
	case name == "":
		return "", errs.Bad("Channel folder name can't be empty.")
	case utf8.RuneCountInString(name) > MaxFolderName:
		return "", errs.Bad("name is too long (limit: %d characters)", MaxFolderName)
	}
	if pos := user.FirstInvisible(name); pos > 0 {
		return "", errs.Bad("Invalid character in channel folder name, at position %d.", pos)
	}
	if !strings.ContainsFunc(name, user.IsVisible) {
		return "", errs.Bad("Channel folder name can't be empty.")
	}
	return name, nil
}

// CheckFolderDescription validates a folder's description and returns its stored form. Errors: BadRequest.
func CheckFolderDescription(sent string) (string, error) {
	text := strings.TrimSpace(sent)
	switch {
	case utf8.RuneCountInString(text) > MaxFolderDescription:
		return "", errs.Bad("description is too long (limit: %d characters)", MaxFolderDescription)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return "", errs.Bad("Invalid character in channel folder description.")
	}
	return text, nil
}

// CheckFolders checks that f's name is unique among unarchived folders and that there are not too many folders. key is
// directory.View.NameKey. An element of all with the ID of f is its previous version, whose name f may keep. Errors:
// BadRequest.
func CheckFolders(all []Folder, f *Folder, key func(string) string) error {
	kept := f.Archived ||
		slices.ContainsFunc(all, func(o Folder) bool { return o.ID == f.ID && !o.Archived && o.Name == f.Name })
	if nameKey := key(f.Name); !kept && slices.ContainsFunc(all, func(o Folder) bool {
		return o.ID != f.ID && !o.Archived && key(o.Name) == nameKey
	}) {
		return errs.Bad("Channel folder name already in use")
	}
	return nil
}

// AdmitFolder checks that a user with role r can create a folder, or unarchive one if it is among all. Errors:
// BadRequest.
func AdmitFolder(all []Folder, f *Folder, r user.Role) error {
	var now quota.Count
	for i := range all {
		if !all[i].Archived {
			now.All++
		}
		if f.ID == 0 && all[i].Creator == f.Creator {
			now.Own++
		}
	}
	return quota.Limit{What: "channel folders", Total: MaxFolders, Author: MaxFolders}.Admit(r, now, 1)
}

// CheckFolderOrder checks that order contains every folder exactly once. Errors: BadRequest.
func CheckFolderOrder(all []Folder, order []FolderID) error {
	ids := make([]FolderID, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	slices.Sort(ids)
	if !slices.Equal(ids, slices.Sorted(slices.Values(order))) {
		return errs.Bad("Invalid order mapping.")
	}
	return nil
}
