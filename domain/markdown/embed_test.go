package markdown_test

import (
	"net/url"
	"testing"

	"github.com/stoachat/stoa/domain/markdown"
)

func TestVideos(t *testing.T) {
	for _, c := range []struct{ address, youtube, vimeo string }{
		{"https://www.youtube.com/watch?v=a_b-1", "a_b-1", ""},
		{"https://m.youtube.com/shorts/a1", "a1", ""},
		{"https://youtu.be/a1?t=3", "a1", ""},
		{"https://www.youtube.com/watch_videos?video_ids=a_b-1,c2", "a_b-1", ""},
		{"https://www.youtube.com/watch_videos?video_ids=", "", ""},
		{"https://www.youtube.com/watch_videos?v=a1", "", ""},
		{"https://www.youtube.com/watch_popup?v=a1", "a1", ""},
		{"https://youtu.be/a1/b", "", ""},
		{"https://youtube.com/watch?v=a\"", "", ""},
		{"https://youtube.com/watch?v=é", "", ""},
		{"https://notyoutube.com/watch?v=a", "", ""},
		{"https://vimeo.com/123", "", "123"},
		{"https://www.vimeo.com/123/", "", "123"},
		{"https://player.vimeo.com/video/123?h=1", "", "123"},
		{"https://player.vimeo.com/123", "", ""},
		{"https://vimeo.com/about", "", ""},
		{"https://vimeo.com/", "", ""},
		{"https://vimeo.com/123456789012345678901", "", ""},
		{"https://vimeo.com.evil.example/123", "", ""},
	} {
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if y, v := markdown.YouTubeID(u), markdown.VimeoID(u); y != c.youtube || v != c.vimeo {
			t.Errorf("%s: %q, %q", c.address, y, v)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		text, realm string
		want        bool
	}{
		{"see https://Chat.Example/#narrow", "https://chat.example", true},
		{"see http://chat.example:80/x", "https://chat.example", true},
		{"see https://x.org", "https://chat.example", false},
		{"anything", "", false},
		{"anything", "chat.example", false},
	} {
		if got := markdown.MayContainURL(c.text, c.realm); got != c.want {
			t.Errorf("%q in %q: %v", c.realm, c.text, got)
		}
	}
}
