// Package upload is uploaded files: what identifies them, how they may be shown, and the rules for their names and types.
package upload

import (
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// ID identifies a file on this server. It is the attachment_id of the API.
type ID int64

// Prefix begins the address of every file, relative to the realm's URL; the path ID follows.
const Prefix = "/user_uploads/"

// File is an uploaded file.
type File struct {
	ID          ID
	Realm       realm.ID
	Owner       user.ID
	PathID      string // unique; Prefix + PathID is its address
	Name        string // as its owner called it
	Size        int64  // bytes
	ContentType string // as declared or guessed at upload; never trusted to be what the bytes are
	Key         string // of the blob
	CreatedAt   time.Time
	Image       Image
}

// Image describes a file whose header was read as an image. Width 0: it is no image, or none that can be shown.
type Image struct {
	Width, Height int // pixels, as shown: after the EXIF rotation
	Animated      bool
	Thumbnail     ThumbnailState
	Transcoded    string // name of the form that browsers can show; "" if they can show the original
}

// ThumbnailState says whether an image has thumbnails.
type ThumbnailState int16

// The states, as stored; never renumber.
const (
	NoThumbnail      ThumbnailState = iota // not an image, or one that is not to be decoded
	ThumbnailPending                       // to be made
	ThumbnailReady                         // made
	ThumbnailFailed                        // the image could not be decoded
)

// URL gives the address of a file, relative to the realm's.
func (f *File) URL() string { return Prefix + f.PathID }

// Missing is the answer for a file that does not exist and for one that the caller may not read.
func Missing() error { return errs.New(errs.NotFound, "No such file") }

// OverQuota is the refusal of a file that would exceed the organization's quota.
func OverQuota() error {
	return errs.New(errs.UploadQuota, "Upload would exceed your organization's upload quota.")
}
