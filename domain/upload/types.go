package upload

import (
	"mime"
	"path"
	"strings"
)

// OctetStream is the type of files of unknown content.
const OctetStream = "application/octet-stream"

// maxType is the maximum length of a declared content type in bytes.
const maxType = 200

// types maps extensions to content types. The operating system's table is not used, so that all nodes agree.
var types = map[string]string{
	".aac": "audio/aac", ".apng": "image/apng", ".avif": "image/avif", ".bmp": "image/bmp", ".bz2": "application/x-bzip2",
	".c": "text/x-c", ".css": "text/css", ".csv": "text/csv", ".doc": "application/msword",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".flac": "audio/flac",
	".gif": "image/gif",
	".gz":  "application/gzip", ".heic": "image/heic", ".htm": "text/html", ".html": "text/html",
	".ico": "image/vnd.microsoft.icon",
	".ics": "text/calendar", ".jpe": "image/jpeg", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript",
	".json": "application/json", ".m4a": "audio/mp4", ".md": "text/markdown", ".mjs": "text/javascript",
	".mkv": "video/x-matroska",
	".mov": "video/quicktime", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".mpeg": "video/mpeg",
	".odp": "application/vnd.oasis.opendocument.presentation", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
	".odt": "application/vnd.oasis.opendocument.text", ".oga": "audio/ogg", ".ogg": "audio/ogg", ".ogv": "video/ogg",
	".opus": "audio/ogg",
	".pdf":  "application/pdf", ".png": "image/png", ".ppt": "application/vnd.ms-powerpoint",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", ".py": "text/x-python",
	".rtf": "application/rtf",
	".svg": "image/svg+xml", ".tar": "application/x-tar", ".tif": "image/tiff", ".tiff": "image/tiff",
	".txt": "text/plain",
	".wav": "audio/wav", ".weba": "audio/webm", ".webm": "video/webm", ".webp": "image/webp",
	".xhtml": "application/xhtml+xml",
	".xls":   "application/vnd.ms-excel", ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".xml": "text/xml", ".zip": "application/zip",
}

// ContentType returns the type to record for a file: the declared one if well formed, otherwise guessed from the
// name.
func ContentType(declared, name string) string {
	if kind, params, err := mime.ParseMediaType(declared); err == nil && len(declared) <= maxType &&
		strings.Count(kind, "/") == 1 {
		if whole := mime.FormatMediaType(kind, params); whole != "" {
			return whole
		}
	}
	if guessed, ok := types[strings.ToLower(path.Ext(name))]; ok {
		return guessed
	}
	return OctetStream
}

// MediaType returns a content type without its parameters, or OctetStream if it is malformed.
func MediaType(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return OctetStream
	}
	return kind
}

// LacksCharset reports whether a content type is plain text whose encoding is not declared.
func LacksCharset(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "text/plain" && params["charset"] == ""
}

// Served returns the Content-Type header for a recorded type: texts always have a charset, so that browsers don't
// guess.
func Served(contentType string) string {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return OctetStream
	}
	if strings.HasPrefix(kind, "text/") && params["charset"] == "" {
		params["charset"] = "utf-8"
	}
	return mime.FormatMediaType(kind, params)
}

// Inline reports whether browsers are allowed to display files of a content type. All others are downloaded: a file
// that can run scripts must not be displayed from the realm's own origin.
func Inline(contentType string) bool {
	switch MediaType(contentType) {
	case "application/pdf", "text/plain",
		"audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/wav", "audio/webm",
		"image/apng", "image/avif", "image/gif", "image/jpeg", "image/png", "image/webp",
		"video/mp4", "video/webm":
		return true
	}
	return false
}
