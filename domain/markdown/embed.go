package markdown

import (
	"net/url"
	"strings"
)

// Embed is what a page says about itself. All of it comes from strangers.
type Embed struct {
	Title, Description string // plain text; "": none
	Image              string // absolute address of a picture, http or https; "": none
}

// None tells whether there is nothing in it to show.
func (e Embed) None() bool { return e == Embed{} }

// Site gives the host of an address of the web, in small letters and with its port if it has one; "" if it is none.
func Site(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Names tells whether a text may name a realm's address: only then does its rendering depend on where the realm is.
func Names(text, realmURL string) bool {
	site := Site(realmURL)
	return site != "" && strings.Contains(strings.ToLower(text), site)
}

// VimeoID gives the id of the video that an address of Vimeo shows; "" if it is none.
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

// YouTubeID gives the id of the video that an address of YouTube shows; "" if it is none.
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
	case len(parts) == 1 && parts[0] == "watch_videos": // several: the first is shown
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
