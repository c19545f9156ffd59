package upload

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode"

	"github.com/stoachat/stoa/domain/realm"
)

// RandomBytes is how many random bytes a path ID is made of.
const RandomBytes = 19

// PathID makes the path ID of a file: realm, a directory that spreads files, what nobody can guess, and the name in the path.
func PathID(r realm.ID, random [RandomBytes]byte, pathName string) string {
	return place(r, random) + "/" + pathName
}

// Key makes the key of the blob that belongs to the path ID with the same random bytes. It leaves out the name, which may be
// longer than stores allow.
func Key(r realm.ID, random [RandomBytes]byte) string { return "uploads/" + place(r, random) }

func place(r realm.ID, random [RandomBytes]byte) string {
	return strconv.FormatInt(int64(r), 10) + "/" + strconv.FormatInt(int64(random[0]), 16) + "/" +
		base64.RawURLEncoding.EncodeToString(random[1:])
}

// maxPathID is longer than any path ID, in bytes.
const maxPathID = 20 + 1 + 2 + 1 + 24 + 1 + maxPathName

// CheckPathID reports whether a path may be the ID of a file of the realm; it is a filter before the lookup.
func CheckPathID(r realm.ID, path string) bool {
	return len(path) <= maxPathID && !strings.ContainsFunc(path, unicode.IsControl) && strings.HasPrefix(path, strconv.FormatInt(int64(r), 10)+"/")
}

// FileName gives the last segment of a path ID.
func FileName(pathID string) string { return pathID[strings.LastIndexByte(pathID, '/')+1:] }

// Tag gives an entity tag, without quotes, of a path ID's file: its bytes never change.
func Tag(pathID string) string {
	if parts := strings.Split(pathID, "/"); len(parts) == 4 {
		return parts[2]
	}
	return ""
}
