package calls

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/stoachat/stoa/domain/errs"
)

// Roles in a meeting, as BigBlueButton names them.
const (
	moderator = "MODERATOR"
	viewer    = "VIEWER"
)

// created is BigBlueButton's response to the creation of a meeting.
type created struct {
	Code    string `xml:"returncode"`
	Key     string `xml:"messageKey"`
	Message string `xml:"message"`
	Time    string `xml:"createTime"`
}

// createMeeting creates a meeting. If it is in progress, BigBlueButton returns the existing one, since all parameters
// are the same. Errors: BadRequest; not Unavailable, which means that this server is.
func (s *service) createMeeting(ctx context.Context, m meeting) (created, error) {
	params := url.Values{
		"meetingID": {m.ID}, "name": {m.Name},
		"attendeePW": {s.password(m, viewer)}, "moderatorPW": {s.password(m, moderator)},
	}
	if m.VoiceOnly {
		params.Set("lockSettingsDisableCam", "true")
	}
	reply, err := s.Webhooks.Get(ctx, s.apiURL("create", params), "application/xml, text/xml")
	if ctx.Err() != nil {
		return created{}, ctx.Err()
	}
	unexpected := errs.Bad("The BigBlueButton server returned an unexpected error.")
	if errs.Is(err, errs.TooLarge) {
		return created{}, unexpected.Because(err)
	}
	if err != nil {
		return created{}, errs.Bad("The BigBlueButton server cannot be reached. Please try again later.").Because(err)
	}
	if reply.Status != http.StatusOK {
		return created{}, unexpected.Because(fmt.Errorf("status %d", reply.Status))
	}
	var res created
	if err := xml.Unmarshal(reply.Body, &res); err != nil {
		return created{}, unexpected.Because(err)
	}
	switch {
	case res.Code == "SUCCESS":
		return res, nil
	case res.Key == "checksumError":
		return created{}, errs.Bad("The BigBlueButton server does not accept this server's secret.").Because(
			errors.New("checksumError: check modules.calls.bigbluebutton_secret"))
	}
	return created{}, unexpected.Because(fmt.Errorf("%.100q: %.100q: %.500q", res.Code, res.Key, res.Message))
}

// joinURL returns the URL by which a user joins a meeting. It is only valid until the meeting ends.
func (s *service) joinURL(m meeting, c created, role, fullName string) string {
	params := url.Values{
		"meetingID": {m.ID}, "fullName": {fullName}, "role": {role}, "password": {s.password(m, role)},
	}
	if c.Time != "" {
		params.Set("createTime", c.Time)
	}
	return s.apiURL("join", params)
}

// password returns the password by which users join a meeting with a role. It is derived rather than stored; old
// versions of BigBlueButton choose the role by it.
func (s *service) password(m meeting, role string) string {
	mac := hmac.New(sha256.New, []byte(s.cfg.BigBlueButtonSecret))
	_, _ = fmt.Fprintf(mac, "%s of %s", role, m.ID)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// apiURL returns the URL of a call of BigBlueButton's API, with its checksum.
func (s *service) apiURL(call string, params url.Values) string {
	query := params.Encode()
	sum := sha256.Sum256([]byte(call + query + string(s.cfg.BigBlueButtonSecret)))
	return strings.TrimRight(s.cfg.BigBlueButtonURL, "/") + "/api/" + call + "?" + query + "&checksum=" +
		hex.EncodeToString(sum[:])
}
