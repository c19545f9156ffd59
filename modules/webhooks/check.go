package webhooks

import (
	"context"
	"net/http"
	"slices"

	"github.com/stoachat/stoa/domain/bot"
	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/webhooks/internal/format"
)

// answer is the response to a webhook.
type answer struct {
	msg     string // why nothing was posted
	headers map[string]string
}

// Msg implements the method of results that set msg.
func (a answer) Msg() string { return a.msg }

// Headers implements kit.WithHeaders.
func (a answer) Headers() map[string]string { return a.headers }

// named returns the integration with a name. Errors: BadRequest.
func (s *service) named(name string) (format.Integration, error) {
	i := slices.IndexFunc(s.integrations, func(x format.Integration) bool {
		return x.Name == name || slices.Contains(x.Aliases, name)
	})
	if i < 0 {
		return format.Integration{}, errs.Absent("Unknown integration")
	}
	return s.integrations[i], nil
}

// settings returns the options of a webhook: those in the URL, and the bot's settings for options that the URL lacks.
func (s *service) settings(
	ctx context.Context, a kit.Actor, integration format.Integration, in options,
) (map[string]string, error) {
	params := in.byName()
	lacks := func(o format.Option) bool { return params[o.Key] == "" }
	if !slices.ContainsFunc(integration.Config, lacks) {
		return params, nil
	}
	config, _, err := s.Config.Ask(ctx, bot.ConfigOf{Bot: a.User})
	if err != nil {
		return nil, err
	}
	for _, o := range integration.Config {
		if lacks(o) {
			params[o.Key] = config[o.Key]
		}
	}
	return params, nil
}

type target struct {
	Integration string `json:"integration"`
}

// check handles GET and HEAD /external/:integration, with which some services check a URL before they use it. It needs
// no key and reveals nothing. Errors: BadRequest, MethodNotAllowed.
func (s *service) check(_ context.Context, _ kit.Actor, in target) (kit.None, error) {
	integration, err := s.named(in.Integration)
	if err == nil && !integration.Get {
		err = errs.New(errs.MethodNotAllowed, "Method Not Allowed").With("allowed_methods", []string{http.MethodPost})
	}
	return kit.None{}, err
}
