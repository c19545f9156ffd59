// Package markup renders the Markdown of messages.
package markup

import (
	"github.com/stoachat/stoa/domain/markdown"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/messages/internal/store"
	"github.com/stoachat/stoa/ports"
)

// Needs holds the dependencies of the service.
type Needs struct {
	Store    *store.Store
	Renderer ports.Renderer
	Clock    ports.Clock
	Previews kit.Query[message.PagePreviews, map[string]markdown.Embed]
	Usable   kit.Query[message.UsableFiles, map[string]markdown.Upload]
}

// Service prepares input for the renderer and rerenders stored messages.
type Service struct{ Needs }

// New returns the service.
func New(n Needs) *Service { return &Service{n} }

// Facts returns the facts that follow from a message's rendering.
func Facts(content string, o markdown.Output) message.Facts {
	var f message.Facts
	for fact, holds := range map[message.Facts]bool{
		message.ChannelWildcard: o.ChannelWildcard, message.HasLink: o.Link, message.HasImage: o.Image,
		message.HasAttachment: len(o.Attachments) > 0, message.IsMe: message.IsMeText(content),
	} {
		if holds {
			f |= fact
		}
	}
	return f
}
