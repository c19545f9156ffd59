package upload

import (
	"strconv"
	"strings"
)

// ThumbnailPrefix begins the address of every thumbnail, relative to the realm's URL; path ID and format name follow.
const ThumbnailPrefix = Prefix + "thumbnail/"

// Format is a thumbnail format.
type Format struct {
	Name     string // the last segment of its address
	Width    int    // pixels; images fit within both and are never enlarged
	Height   int
	Ext      string
	Animated bool
}

// Maximum lengths of the long and the short side of transcoded images, in pixels; see TranscodedFormat.
const (
	transcodedLong  = 4032
	transcodedShort = 3024
)

// Formats returns the thumbnail formats made of every image: server_thumbnail_formats of /register.
func Formats() []Format {
	return []Format{format(840, 560, true), format(840, 560, false)}
}

func format(w, h int, animated bool) Format {
	f := Format{Width: w, Height: h, Ext: "webp", Animated: animated}
	f.Name = strconv.Itoa(w) + "x" + strconv.Itoa(h)
	if animated {
		f.Name += "-anim"
	}
	f.Name += "." + f.Ext
	return f
}

// TranscodedFormat returns the format that replaces an image whose original browsers can't show; ok is false for
// other types.
func TranscodedFormat(contentType string, width, height int) (f Format, ok bool) {
	if !Thumbnailable(contentType) || Inline(contentType) {
		return Format{}, false
	}
	if height > width {
		return format(transcodedShort, transcodedLong, false), true
	}
	return format(transcodedLong, transcodedShort, false), true
}

// FormatsOf returns the formats of the thumbnails made of an image.
func FormatsOf(contentType string, i Image) []Format {
	var all []Format
	for _, f := range Formats() {
		if !f.Animated || i.Animated {
			all = append(all, f)
		}
	}
	if f, ok := TranscodedFormat(contentType, i.Width, i.Height); ok {
		all = append(all, f)
	}
	return all
}

// ParseFormat parses the name of a format; ok is false if it is malformed.
func ParseFormat(name string) (f Format, ok bool) {
	size, ext, ok := strings.Cut(name, ".")
	if !ok || ext == "" || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return Format{}, false
	}
	size, animated := strings.CutSuffix(size, "-anim")
	w, h, ok := strings.Cut(size, "x")
	width, errW := strconv.ParseUint(w, 10, 16)
	height, errH := strconv.ParseUint(h, 10, 16)
	if !ok || errW != nil || errH != nil {
		return Format{}, false
	}
	return Format{Name: name, Width: int(width), Height: int(height), Ext: ext, Animated: animated}, true
}

// ClosestFormat returns the existing format closest to the requested one: equally animated or not, then with the same
// extension, then of the closest width. ok is false if none exists.
func ClosestFormat(requested Format, existing []Format) (best Format, ok bool) {
	worse := func(f Format) [3]int {
		var w [3]int
		if f.Animated != requested.Animated {
			w[0] = 1
		}
		if f.Ext != requested.Ext {
			w[1] = 1
		}
		w[2] = max(f.Width-requested.Width, requested.Width-f.Width)
		return w
	}
	for _, f := range existing {
		if a, b := worse(f), worse(best); !ok || a[0] < b[0] || a[0] == b[0] && (a[1] < b[1] || a[1] == b[1] && a[2] < b[2]) {
			best, ok = f, true
		}
	}
	return best, ok
}

// Thumbnailable reports whether thumbnails are made of files of a content type.
func Thumbnailable(contentType string) bool {
	switch MediaType(contentType) {
	case "image/avif", "image/gif", "image/heic", "image/jpeg", "image/png", "image/tiff", "image/webp":
		return true
	}
	return false
}

// ThumbnailKey returns the blob key of a file's thumbnail. It is not below the key of the file, because a key can't be
// a directory too.
func ThumbnailKey(key string, f Format) string {
	return "thumbnails/" + strings.TrimPrefix(key, "uploads/") + "/" + f.Name
}

// ThumbnailKeys returns the blob keys of all thumbnails that a file can have.
func ThumbnailKeys(f *File) []string {
	if f.Image.Width == 0 {
		return nil
	}
	var keys []string
	for _, t := range FormatsOf(f.ContentType, f.Image) {
		keys = append(keys, ThumbnailKey(f.Key, t))
	}
	return keys
}

// Keys returns the blob keys of a file and its thumbnails.
func Keys(f *File) []string { return append([]string{f.Key}, ThumbnailKeys(f)...) }
