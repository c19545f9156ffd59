package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

const (
	maxRequestedName = 500 // characters of a requested name
	minMeetingName   = 2   // characters of a name that BigBlueButton accepts
	maxMeetingName   = 64
)

// meeting contains the facts of a meeting, which are sealed in its link.
type meeting struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	VoiceOnly bool    `json:"voice_only"`
	Moderator user.ID `json:"moderator"`
}

type createReq struct {
	Name      string `json:"meeting_name"`
	VoiceOnly bool   `json:"voice_only" default:"false"`
}

type createRes struct {
	URL string `json:"url"`
}

// create handles GET /calls/bigbluebutton/create. It only returns a link: the first user who joins creates the meeting.
// Errors: BadRequest.
func (s *service) create(_ context.Context, a kit.Actor, in createReq) (createRes, error) {
	if !s.configured() {
		return createRes{}, unconfigured("BigBlueButton")
	}
	if utf8.RuneCountInString(in.Name) > maxRequestedName {
		return createRes{}, errs.Bad("meeting_name is too long (limit: %d characters)", maxRequestedName)
	}
	m := meeting{"stoa-" + rand.Text(), meetingName(in.Name), in.VoiceOnly, a.User}
	text, err := json.Marshal(m)
	if err != nil {
		return createRes{}, err
	}
	sealed, err := s.Sealer.Seal(purpose(a.Realm), string(text))
	if err != nil {
		return createRes{}, err
	}
	return createRes{a.URL + "/calls/bigbluebutton/join?" + url.Values{"bigbluebutton": {sealed}}.Encode()}, nil
}

// purpose returns the purpose for which meetings are sealed. It binds their links to the organization.
func purpose(r realm.ID) string { return fmt.Sprintf("BigBlueButton meeting of realm %d", r) }

// meetingName returns a name that BigBlueButton accepts.
func meetingName(requested string) string {
	name := []rune(strings.Join(strings.Fields(requested), " "))
	if len(name) < minMeetingName {
		return "Video call"
	}
	return strings.TrimSpace(string(name[:min(len(name), maxMeetingName)]))
}

type joinReq struct {
	Sealed string `json:"bigbluebutton"`
}

// join handles GET /calls/bigbluebutton/join. Whoever created the link joins as a moderator, everyone else as a viewer.
// Errors: BadRequest, also if BigBlueButton does not create the meeting.
func (s *service) join(ctx context.Context, a kit.Actor, in joinReq) (kit.Redirect, error) {
	if !s.configured() {
		return kit.Redirect{}, unconfigured("BigBlueButton")
	}
	_, caller, err := kit.Caller(ctx, s.Directory, a)
	if err != nil {
		return kit.Redirect{}, err
	}
	text, err := s.Sealer.Open(purpose(a.Realm), in.Sealed)
	if errs.Is(err, errs.NotFound) {
		return kit.Redirect{}, errs.Bad("Invalid signature.").Because(err)
	}
	if err != nil {
		return kit.Redirect{}, err
	}
	var m meeting
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return kit.Redirect{}, fmt.Errorf("a sealed meeting: %w", err)
	}
	created, err := s.createMeeting(ctx, m)
	if err != nil {
		return kit.Redirect{}, err
	}
	role := viewer
	if m.Moderator == a.User {
		role = moderator
	}
	return kit.Redirect{To: s.joinURL(m, created, role, caller.FullName)}, nil
}
