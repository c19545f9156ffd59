package message

import (
	"strings"
	"unicode/utf8"

	"github.com/stoachat/stoa/domain/errs"
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

// Fence returns a fence of backticks that none of the texts can close.
func Fence(texts ...string) string {
	longest := 2
	for _, t := range texts {
		run := 0
		for _, r := range t {
			if r != '`' {
				run = 0
				continue
			}
			run++
			longest = max(longest, run)
		}
	}
	return strings.Repeat("`", longest+1)
}

// Cut truncates a text to n code points, including an ellipsis at the end.
func Cut(text string, n int) string {
	const more = " […]"
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return string([]rune(text)[:max(0, n-utf8.RuneCountInString(more))]) + more
}
