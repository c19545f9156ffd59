// Package markdown is the contract of the renderer: what goes in, what comes out.
package markdown

import (
	"github.com/stoachat/stoa/domain/group"
	"github.com/stoachat/stoa/domain/user"
)

// Source is a text to be rendered.
type Source struct {
	Text        string
	Sender      user.ID // what this person may see is what mentions and links find; 0: everything
	Description bool    // a channel description: no mentions, no previews
}

// Output is the HTML and what the text means for its readers.
type Output struct {
	HTML            string
	Version         int        // of the rendering rules
	Users           []user.ID  // mentioned personally, not silently
	Groups          []group.ID // mentioned, not silently
	ChannelWildcard bool       // @**all**, @**everyone**, @**channel**, @**stream**
	TopicWildcard   bool       // @**topic**
	Link, Image     bool       // holds a link; holds an image
}

// TopicLink is something in a topic's name that leads elsewhere.
type TopicLink struct {
	Text string `json:"text"`
	URL  string `json:"url"`
}
