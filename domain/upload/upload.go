// Package upload describes uploaded files: their identity, presentation, and the rules for names and types.
package upload

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a file on this server. It is the API's attachment_id.
type ID int64

// Prefix begins the path of every file, relative to the realm's URL; the path ID follows.
const Prefix = "/user_uploads/"

// File is an uploaded file.
type File struct {
	ID          ID
	Realm       realm.ID
	Owner       user.ID
	PathID      string // unique; the file is at Prefix + PathID
	Name        string // display name
	Size        int64  // bytes
	ContentType string // declared or guessed at upload; never trusted to match the content
	Key         string // of the blob
	CreatedAt   time.Time
	Image       Image
}

// Image describes a file whose header was read as an image. Width 0: not an image, or not displayable.
type Image struct {
	Width, Height int // pixels as shown, after EXIF rotation
	Animated      bool
	Thumbnail     ThumbnailState
	Transcoded    string // name of the format for browsers; "" if they can show the original
}

// ThumbnailState is the state of an image's thumbnails.
type ThumbnailState int16

// The states, as stored; never renumber.
const (
	NoThumbnail      ThumbnailState = iota // not an image, or not to be decoded
	ThumbnailPending                       // to be made
	ThumbnailReady                         // made
	ThumbnailFailed                        // the image could not be decoded
)

// URL returns the path of a file, relative to the realm's URL.
func (f *File) URL() string { return Prefix + f.PathID }

// Missing returns the error for a file that does not exist or that the caller cannot access.
func Missing() error { return errs.New(errs.NotFound, "No such file") }

// OverQuota returns the error for a file that would exceed the organization's quota.
func OverQuota() error {
	return errs.New(errs.UploadQuota, "Upload would exceed your organization's upload quota.")
}

// OverShare returns the error for a file that would exceed the part of the quota that one user may use.
func OverShare() error {
	return errs.New(errs.UploadQuota,
		"Upload would exceed your share of your organization's upload quota. Delete some of your files first.")
}
