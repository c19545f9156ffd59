package page

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"

	"github.com/stoachat/stoa/domain/markdown"
)

// provider is a site that describes its videos by oEmbed. Its HTML is not used, since the renderer writes the player.
type provider struct {
	has      func(*url.URL) bool
	endpoint string
}

func providers() []provider {
	return []provider{
		{func(u *url.URL) bool { return markdown.YouTubeID(u) != "" }, "https://www.youtube.com/oembed?format=json&url="},
		{func(u *url.URL) bool { return markdown.VimeoID(u) != "" }, "https://vimeo.com/api/oembed.json?url="},
	}
}

// oembed requests the description of a video.
func (r *reader) oembed(ctx context.Context, p provider, address string) (markdown.Embed, error) {
	u, err := url.Parse(p.endpoint + url.QueryEscape(address))
	if err != nil {
		return markdown.Embed{}, err
	}
	var e markdown.Embed
	err = r.get(ctx, u, "application/json", func(res *http.Response) error {
		var video struct {
			Title     string `json:"title"`
			Thumbnail string `json:"thumbnail_url"`
		}
		if err := json.NewDecoder(io.LimitReader(res.Body, maxHeader)).Decode(&video); err != nil {
			return err
		}
		e = markdown.Embed{Title: line(video.Title, maxTitle), Image: picture(video.Thumbnail, res.Request.URL)}
		return nil
	})
	return e, err
}
