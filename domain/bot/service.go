package bot

import (
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// Interface is the form in which an outgoing webhook is told of messages.
type Interface int

// The forms.
const (
	GenericInterface Interface = 1
	SlackInterface   Interface = 2
)

// Service is what an outgoing webhook bot calls.
type Service struct {
	Name      string // of the service, for people
	URL       string
	Interface Interface
	Token     string // what the called server knows the calls by; made by the server, never chosen
}

// The longest names and addresses, in bytes.
const (
	MaxServiceName = 100
	MaxURL         = 2000
)

// Check refuses services that can't be called. What an address leads to is not looked at: it is checked whenever it is
// called. Errors: BadRequest.
func (s Service) Check() error {
	if s.Interface != GenericInterface && s.Interface != SlackInterface {
		return errs.Bad("Invalid interface type")
	}
	if len(s.Name) > MaxServiceName || strings.ContainsRune(s.Name, 0) {
		return errs.Bad("service_name is too long (limit: %d bytes)", MaxServiceName)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		len(s.URL) > MaxURL {
		return errs.Bad("payload_url is not a URL")
	}
	return nil
}

// CheckService checks what is asked for a new bot: an outgoing webhook must have an address, and nobody else may. It
// gives the service, whose token is missing, or nil. Errors: BadRequest.
func CheckService(t user.BotType, name, address string, form Interface) (*Service, error) {
	if t != user.OutgoingWebhook {
		if address != "" {
			return nil, errs.Bad("Only outgoing webhook bots have a payload_url.")
		}
		return nil, nil
	}
	s := &Service{Name: name, URL: address, Interface: form}
	return s, s.Check()
}
