// Package markdown defines the input and output of the renderer, and parses fenced blocks.
package markdown

import (
	"context"
	"errors"
	"time"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// ErrTeX reports invalid TeX.
var ErrTeX = errors.New("invalid TeX")

// Source is a text to render.
type Source struct {
	Text        string
	Sender      user.ID   // mentions and links resolve to what this user can see; 0: to everything
	Description bool      // a description or profile: no mentions or previews, and links to public channels only
	Emoticons   bool      // convert emoticons such as :) to emoji
	Background  bool      // a background job: time limits are longer
	At          time.Time // when the text was written, for times without a date (UTC); zero: a date is required
	RealmURL    string    // the realm's URL without a trailing slash, to make links to it relative; "": unknown

	// Topics returns the newest message that the sender can see in each of the given topics, leaving out topics without
	// one. It is called at most once, before the HTML is made. nil: links to topics contain no message ID.
	Topics func(ctx context.Context, topics []Topic) (map[Topic]int64, error)
	// Uploads returns the uploads with the given path IDs ("2/ab/x.png"), leaving out those that do not exist or that
	// the sender is not allowed to use. It is called at most once. nil: links to uploads are ordinary links.
	Uploads func(ctx context.Context, paths []string) (map[string]Upload, error)
	// Embeds holds the known metadata of linked pages, by link target.
	Embeds map[string]Embed
}

// Topic is a linked topic, with its name as written.
type Topic struct {
	Channel channel.ID
	Name    string
}

// Upload describes an uploaded file to the renderer.
type Upload struct {
	ContentType   string
	Width, Height int    // of a readable image, after rotation; otherwise 0
	Thumbnail     bool   // exists; until then a placeholder is shown
	Animated      bool   // an animated image
	Transcoded    string // name of a format for browsers that can't show the original, "1920x1080.webp"; "": not needed
}

// Output is the HTML of a text and the objects to which the text refers.
type Output struct {
	HTML            string
	Version         int        // of the rendering rules
	Users           []user.ID  // mentioned personally, not silently
	Groups          []group.ID // mentioned, not silently
	ChannelWildcard bool       // contains @**all**, @**everyone**, @**channel** or @**stream**
	TopicWildcard   bool       // contains @**topic**
	Link, Image     bool       // contains a link; contains an image or a preview
	Attachments     []string   // distinct path IDs of referenced uploads, if the sender is allowed to use them
	// distinct link targets that may have metadata for Source.Embeds; empty if there are too many
	Pages []string
}

// TopicLink is a link within a topic name.
type TopicLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}
