package reports_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/message"
	"github.com/stoachat/stoa/domain/user"
)

// TestReportLimits checks that a user can report a message once a day, and only so many messages.
func TestReportLimits(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		s := moderatedOn(t, database)
		id := post(s, "bob", "lunch", "x")
		report(s, "guest", id, "report_type", "spam").OK()
		report(s, "mona", id, "report_type", "spam").OK()
		s.Skip()
		report(s, "guest", id, "report_type", "norms").Error(400, "BAD_REQUEST", "You have already reported this message.")
		s.NoEvents()
		for range message.MaxReportsByUser - 1 {
			report(s, "guest", post(s, "bob", "lunch", "x"), "report_type", "spam").OK()
		}
		late := post(s, "bob", "lunch", "x")
		report(s, "guest", late, "report_type", "spam").Error(400, "BAD_REQUEST", "You have reported too many messages")
		report(s, "mona", late, "report_type", "spam").OK()
		s.Clock.Advance(message.ReportMemory + time.Second)
		report(s, "guest", late, "report_type", "spam").OK()
		report(s, "guest", id, "report_type", "spam").OK()
	})
}

// TestReportsOfMessage checks that a message is reported by so many users only.
func TestReportsOfMessage(t *testing.T) {
	var near []message.Report
	for u := range user.ID(message.MaxReportsOfMessage) {
		one := message.Report{ReporterID: u, OwnerID: u, MessageID: 1}
		if err := one.Admit(near); err != nil {
			t.Fatal(err)
		}
		near = append(near, one)
	}
	if (message.Report{ReporterID: 1000, OwnerID: 1000, MessageID: 1}).Admit(near) == nil {
		t.Error("there is no limit")
	}
	if err := (message.Report{ReporterID: 1000, OwnerID: 1000, MessageID: 2}).Admit(nil); err != nil {
		t.Error(fmt.Errorf("another message: %w", err))
	}
}
