package render

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// Page encodes messages for one reader. What several of its messages have in common, such as the sender's name and the
// channel's, is encoded once.
type Page struct {
	view    *directory.View
	options Options

	authors  map[user.ID][]byte
	places   map[message.Recipient][]byte
	headings map[topicOf][]byte
	json     []byte
}

// topicOf is a topic of any channel, or that of direct messages.
type topicOf struct {
	isChannel bool
	name      string
}

// NewPage returns an empty page, whose size in bytes will be about size.
func NewPage(v *directory.View, o Options, size int) *Page {
	return &Page{
		view: v, options: o, authors: map[user.ID][]byte{}, places: map[message.Recipient][]byte{},
		headings: map[topicOf][]byte{}, json: make([]byte, 0, size),
	}
}

// Entry is a message of a page.
type Entry struct {
	*message.Message // its content is not used
	Row              *Row
	Members          user.Set // participants of a direct message
	Flags            []string // the reader's

	MatchContent, MatchSubject *string
}

// Add adds a message.
func (p *Page) Add(e Entry) error {
	v, o := p.view, p.options
	_, isChannel := e.Recipient.Channel()
	author, err := part(p.authors, e.Sender, func() any { return o.author(v, e.Sender) })
	if err != nil {
		return err
	}
	place, err := part(p.places, e.Recipient, func() any { return o.place(v, e.Recipient, e.Members) })
	if err != nil {
		return err
	}
	heading, err := part(p.headings, topicOf{isChannel, e.Row.Topic}, func() any {
		return o.heading(v, isChannel, e.Row.Topic)
	})
	if err != nil {
		return err
	}
	b := p.json
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(b, '{')
	for _, fields := range [][]byte{e.Row.json, author, place, heading} {
		b = append(append(b, fields...), ',')
	}
	p.json, err = p.appendExtras(b, e)
	return err
}

// part returns the fields of an object that several messages share.
func part[K comparable](known map[K][]byte, k K, make func() any) ([]byte, error) {
	fields, ok := known[k]
	if ok {
		return fields, nil
	}
	b, err := kit.AppendJSON(nil, make())
	known[k] = inner(b)
	return known[k], err
}

// appendExtras appends the fields of Extras and the closing brace. Most messages have none but flags.
func (p *Page) appendExtras(b []byte, e Entry) ([]byte, error) {
	if len(e.Reactions)+len(e.Submessages)+len(e.Edits) == 0 && e.MatchContent == nil {
		b = append(b, `"reactions":[],"submessages":[],"flags":[`...)
		for i, name := range e.Flags {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(append(b, '"'), name...), '"')
		}
		return append(b, "]}"...), nil
	}
	x := p.options.extras(p.view, e.Message)
	x.MatchContent, x.MatchSubject, x.Flags = e.MatchContent, e.MatchSubject, &e.Flags
	all, err := kit.AppendJSON(nil, x)
	return append(append(b, inner(all)...), '}'), err
}

// Size implements kit.Encoded.
func (p *Page) Size() int { return len(p.json) + 2 }

// AppendJSON implements kit.Encoded.
func (p *Page) AppendJSON(b []byte) ([]byte, error) {
	return append(append(append(b, '['), p.json...), ']'), nil
}
