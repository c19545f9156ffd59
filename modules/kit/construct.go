package kit

import (
	"context"
	"regexp"
	"strings"

	"github.com/stoachat/stoa/domain/realm"
)

// Construct is a piece of Markdown that a module renders in messages. Create it with MarkdownBlock or MarkdownInline.
type Construct struct {
	Language    string // of a fenced block; "" for an inline construct
	Open, Close string // of an inline construct
	Doc         string // a sentence
	Render      func(context.Context, Written) (html string, err error)
}

// Written is what somebody has written.
type Written struct {
	Realm  realm.ID
	Text   string // the lines of a block, or what is between the marks
	Header string // what follows the language of a block
}

// MarkdownBlock returns a construct for fenced blocks with a language, which code blocks with this language no longer
// are. render returns HTML, of which only harmless elements and attributes remain, and classes that begin with the
// module's name and a hyphen. It is called again when messages are rendered again, and must then return the same. Its
// ctx ends when the time for the message is over. After an error, or if it is too late, the block is shown as code.
func MarkdownBlock(language, doc string, render func(context.Context, Written) (html string, err error)) Construct {
	return Construct{Language: language, Doc: doc, Render: render}
}

// MarkdownInline is like MarkdownBlock for text between two marks on one line, such as {{ and }}. What cannot be
// rendered is shown as it was written. Other constructs within it are not recognized, except code in back-ticks.
func MarkdownInline(
	opening, closing, doc string, render func(context.Context, Written) (html string, err error),
) Construct {
	return Construct{Open: opening, Close: closing, Doc: doc, Render: render}
}

var (
	constructLanguage = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,29}$`)
	constructMark     = regexp.MustCompile(`^[!-/:-@\[-` + "`" + `{-~][!-~]{1,9}$`)
)

// Name returns what identifies the construct.
func (c Construct) Name() string {
	if c.Language != "" {
		return "```" + c.Language
	}
	return c.Open
}

// Problems returns what is wrong with the declaration.
func (c Construct) Problems() []string {
	var all []string
	switch {
	case c.Render == nil:
		all = append(all, "has no function; create it with kit.MarkdownBlock or kit.MarkdownInline")
	case c.Language == "":
		if !constructMark.MatchString(c.Open) || c.Close == "" || strings.ContainsAny(c.Close, "\n\x02\x03") {
			all = append(all, "needs marks of 2 to 10 printable ASCII characters that begin with punctuation")
		}
		if strings.ContainsAny(c.Open+c.Close, "`") || ownMark(c.Open) {
			all = append(all, "has a mark of the server; choose another")
		}
	case !constructLanguage.MatchString(c.Language):
		all = append(all, "the language must consist of lower-case letters, digits, - and _")
	case c.Language == "quote" || c.Language == "quoted" || c.Language == "spoiler" || c.Language == "math" ||
		c.Language == "text":
		all = append(all, "is a block of the server; choose another language")
	}
	if !strings.HasSuffix(c.Doc, ".") {
		all = append(all, "needs a sentence that says what it shows")
	}
	return all
}

// ownMark reports whether text with a meaning of its own begins like a mark.
func ownMark(mark string) bool {
	for _, own := range []string{"**", "@*", "@_", "#*", "$$", "~~", "<time:", "![", "](", "://"} {
		if strings.HasPrefix(mark, own) || strings.HasPrefix(own, mark) {
			return true
		}
	}
	return false
}
