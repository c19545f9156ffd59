// Package markdown is the contract of the renderer: what goes in, what comes out.
package markdown

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// ErrTeX reports TeX that is wrong, so that no formula can be drawn.
var ErrTeX = errors.New("the TeX of a formula is wrong")

// Source is a text to be rendered.
type Source struct {
	Text        string
	Sender      user.ID   // what this person may see is what mentions and links find; 0: everything
	Description bool      // a description or a profile: no mentions, no previews, links to public channels only
	Emoticons   bool      // :) becomes an emoji
	Patient     bool      // nobody waits: what is bounded in time may take longer
	At          time.Time // when the text was written: a time of day alone is on that day (UTC); zero: a date is needed
	RealmURL    string    // where the realm is, without a slash at the end; links to it become relative. "": not known

	// Topics finds the newest message that the sender may see in each of some topics; it is asked at most once, for all
	// that the text links to, before the HTML is made. A topic without one is left out. nil: links to topics name no
	// message.
	Topics func(ctx context.Context, asked []Topic) (map[Topic]int64, error)
	// Uploads tells of uploads that the text names, by path id ("2/ab/x.png"); it is asked at most once. One that does not
	// exist, or that the sender may not use, is left out. nil: a link to an upload is an ordinary link.
	Uploads func(ctx context.Context, paths []string) (map[string]Upload, error)
	// Embeds are what is known of the pages that the text links to, by the target of the link.
	Embeds map[string]Embed
}

// Topic is a topic that a text links to, its name as written.
type Topic struct {
	Channel channel.ID
	Name    string
}

// Upload is what the renderer must know of an uploaded file.
type Upload struct {
	ContentType   string
	Width, Height int    // of an image that can be read, turned as it is to be shown; else 0
	Thumbnail     bool   // there is one; until then a placeholder is shown
	Animated      bool   // the image moves
	Transcoded    string // name of the form that browsers can show, "1920x1080.webp"; "" for an ordinary image
}

// Output is the HTML and what the text means for its readers.
type Output struct {
	HTML            string
	Version         int        // of the rendering rules
	Users           []user.ID  // mentioned personally, not silently
	Groups          []group.ID // mentioned, not silently
	ChannelWildcard bool       // @**all**, @**everyone**, @**channel**, @**stream**
	TopicWildcard   bool       // @**topic**
	Link, Image     bool       // holds a link; holds an image or a preview
	Attachments     []string   // path ids of uploads that are linked to or shown and that the sender may use, each once
	Pages           []string   // targets of links that Source.Embeds may tell more of, each once; none if there are too many
}

// TopicLink is something in a topic's name that leads elsewhere.
type TopicLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}
