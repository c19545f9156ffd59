package markdown

import (
	"net/url"
	"strings"
)

// Embed is the metadata of a web page, all of it untrusted.
type Embed struct {
	Title, Description string // plain text; "": none
	Image              string // absolute http or https URL of an image; "": none
}

// Empty reports whether there is nothing to show.
func (e Embed) Empty() bool { return e == Embed{} }

// Site returns the host of a web URL in lower case, with its port if it has one, or "" if it is not a web URL.
func Site(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	return strings.ToLower(u.Host)
}

// MayContainURL reports whether a text may contain a realm's URL; only then does its rendering depend on that URL.
func MayContainURL(text, realmURL string) bool {
	site := Site(realmURL)
	return site != "" && strings.Contains(strings.ToLower(text), site)
}

// VimeoID returns the ID of the video at a Vimeo URL, or "".
func VimeoID(u *url.URL) string {
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	id := strings.Trim(u.Path, "/")
	switch host {
	case "vimeo.com":
	case "player.vimeo.com":
		rest, ok := strings.CutPrefix(id, "video/")
		if !ok {
			return ""
		}
		id = rest
	default:
		return ""
	}
	if len(id) > 20 || strings.Trim(id, "0123456789") != "" {
		return ""
	}
	return id
}

// YouTubeID returns the ID of the video at a YouTube URL, or "".
func YouTubeID(u *url.URL) string {
	host := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), "m.")
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	id := ""
	switch {
	case host == "youtu.be" && len(parts) == 1:
		id = parts[0]
	case host != "youtube.com" && host != "youtube-nocookie.com":
	case len(parts) == 1 && (parts[0] == "watch" || parts[0] == "watch_popup"):
		id = u.Query().Get("v")
	case len(parts) == 1 && parts[0] == "watch_videos": // a playlist shows its first video
		id, _, _ = strings.Cut(u.Query().Get("video_ids"), ",")
	case len(parts) == 2 && (parts[0] == "embed" || parts[0] == "shorts" || parts[0] == "v"):
		id = parts[1]
	}
	for _, r := range id {
		if (r < '0' || '9' < r) && (r|0x20 < 'a' || 'z' < r|0x20) && r != '_' && r != '-' {
			return ""
		}
	}
	return id
}
