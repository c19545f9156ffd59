package message

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/domain/user"
)

// ReportType is a reason to report a message.
type ReportType struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// ReportTypes are the reasons, in the order in which clients show them (server_report_message_types).
func ReportTypes() []ReportType {
	return []ReportType{
		{"spam", "Spam"}, {"harassment", "Harassment"}, {"inappropriate", "Inappropriate content"},
		{"norms", "Violates community norms"}, {reportOther, "Other reason"},
	}
}

const reportOther = "other"

// MaxReport is the maximum length of the description of a report in code points.
const MaxReport = 1000

// CheckReport validates the reason and the description of a report. Errors: BadRequest.
func CheckReport(kind, description string) (ReportType, string, error) {
	description = strings.TrimSpace(description)
	for _, t := range ReportTypes() {
		switch {
		case t.Key != kind:
			continue
		case utf8.RuneCountInString(description) > MaxReport:
			return t, "", errs.Bad("description is too long (limit: %d characters)", MaxReport)
		case strings.ContainsRune(description, 0):
			return t, "", errs.Bad("description must not contain null bytes")
		case kind == reportOther && description == "":
			return t, "", errs.Bad("An explanation is required.")
		}
		return t, description, nil
	}
	return ReportType{}, "", errs.Bad("Invalid report_type")
}

// The limits of reports over ReportMemory. Reports are messages to the moderators, whom one user must not be able to
// flood, nor many users because of one message.
const (
	ReportMemory        = 24 * time.Hour
	MaxReportsByUser    = 50
	MaxReportsOfMessage = 20
)

// Report is the fact that a user has reported a message.
type Report struct {
	ReporterID user.ID
	OwnerID    user.ID // the owner of a bot, for whom its reports count; otherwise ReporterID
	MessageID  ID
}

// Admit checks the limits, given the reports by the same user and those of the same message. Errors: BadRequest.
func (r Report) Admit(near []Report) error {
	by, of := 0, 0
	for _, other := range near {
		switch {
		case other == r:
			return errs.Bad("You have already reported this message.")
		case other.OwnerID == r.OwnerID:
			by++
		case other.MessageID == r.MessageID:
			of++
		}
	}
	switch {
	case by >= MaxReportsByUser:
		return errs.Bad("You have reported too many messages today (limit: %d).", MaxReportsByUser)
	case of >= MaxReportsOfMessage:
		return errs.Bad("Many users have already reported this message to the moderators.")
	}
	return nil
}

// Cut truncates a text to n code points, including an ellipsis at the end.
func Cut(text string, n int) string {
	const more = " […]"
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:max(0, n-utf8.RuneCountInString(more))]) + more
}
