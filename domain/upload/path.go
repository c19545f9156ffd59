package upload

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/realm"
)

// RandomBytes is the number of random bytes in a path ID.
const RandomBytes = 19

// PathID returns the path ID of a file: realm, a directory that spreads files, an unguessable part, and the name.
func PathID(r realm.ID, random [RandomBytes]byte, pathName string) string {
	return place(r, random) + "/" + pathName
}

// Key returns the key of the blob of the path ID with the same random bytes. It omits the name, which may be longer
// than stores allow.
func Key(r realm.ID, random [RandomBytes]byte) string { return "uploads/" + place(r, random) }

func place(r realm.ID, random [RandomBytes]byte) string {
	return strconv.FormatInt(int64(r), 10) + "/" + strconv.FormatInt(int64(random[0]), 16) + "/" +
		base64.RawURLEncoding.EncodeToString(random[1:])
}

// maxPathID exceeds the length of any path ID, in bytes.
const maxPathID = 20 + 1 + 2 + 1 + 24 + 1 + maxPathName

// CheckPathID reports whether a path could be the ID of a file of the realm. It is a cheap check before the lookup.
func CheckPathID(r realm.ID, path string) bool {
	return len(path) <= maxPathID && !strings.ContainsFunc(path, unicode.IsControl) &&
		strings.HasPrefix(path, strconv.FormatInt(int64(r), 10)+"/")
}

// FileName returns the last segment of a path ID.
func FileName(pathID string) string { return pathID[strings.LastIndexByte(pathID, '/')+1:] }

// Tag returns an entity tag, without quotes, for a path ID, whose content never changes.
func Tag(pathID string) string {
	if parts := strings.Split(pathID, "/"); len(parts) == 4 {
		return parts[2]
	}
	return ""
}
