package realm

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
)

// roomMark is replaced by a random name in the URL template of calls.
const roomMark = "{room}"

// checkCallURL checks the URL template of video calls.
func checkCallURL(template string) error {
	if template == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(template, roomMark, "room"))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || !strings.Contains(template, roomMark) {
		return errors.New("call_url: want a URL with {room}, such as https://meet.example.com/{room}")
	}
	return nil
}

// callProviders returns the services for video calls that organizations can choose.
func (s *service) callProviders(ctx context.Context) (map[string]choice, error) {
	all := map[string]choice{"disabled": {0, "None"}, "jitsi_meet": {realm.JitsiCalls, "Jitsi Meet"}}
	offered, _, err := s.BigBlueButton.Ask(ctx, realm.OffersBigBlueButton{})
	if err != nil {
		return nil, err
	}
	if offered {
		all["big_blue_button"] = choice{realm.BigBlueButtonCalls, "BigBlueButton"}
	}
	if u, err := url.Parse(strings.ReplaceAll(s.cfg.CallURL, roomMark, "room")); err == nil && s.cfg.CallURL != "" {
		all["template"] = choice{realm.TemplateCalls, u.Hostname()}
	}
	return all, nil
}

// checkCalls returns an error if a requested provider of video calls is not configured. Errors: BadRequest.
func (s *service) checkCalls(ctx context.Context, requested map[string]any) error {
	configured := true
	switch requested["video_chat_provider"] {
	case realm.TemplateCalls:
		configured = s.cfg.CallURL != ""
	case realm.BigBlueButtonCalls:
		var err error
		if configured, _, err = s.BigBlueButton.Ask(ctx, realm.OffersBigBlueButton{}); err != nil {
			return err
		}
	}
	if !configured {
		return errs.Bad("Invalid video_chat_provider")
	}
	return nil
}
