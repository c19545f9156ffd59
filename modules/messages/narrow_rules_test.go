package messages_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/modules/messages"
)

// Invalid and unauthorized narrows. All endpoints that accept a narrow reject them with the same errors.
func TestNarrowsRefused(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	id := post(s, "alice", "general", "x", "x")
	s.Skip()
	const one, combined = "Invalid narrow operator: ", "Invalid narrow operator combination: "
	const both = "No message can be both a channel message and direct message"
	for _, c := range []struct{ narrow, msg, desc string }{ // desc is empty if the JSON has the wrong shape
		{`x`, "", ""},
		{`{}`, "narrow is not a list", ""},
		{`"x"`, "narrow is not a list", ""},
		{`[1]`, "Invalid narrow[0]: dict or list required", ""},
		{`[["is","dm"],null]`, "Invalid narrow[1]: dict or list required", ""},
		{`[[]]`, "Invalid narrow[0]: element is not a string pair", ""},
		{`[["is"]]`, "Invalid narrow[0]: element is not a string pair", ""},
		{`[["is","dm","x"]]`, "Invalid narrow[0]: element is not a string pair", ""},
		{`[["channel",7]]`, "Invalid narrow[0]: element is not a string pair", ""},
		{`[{"operand":"dm"}]`, "operator is missing", ""},
		{`[{"operator":"is"}]`, "operand is missing", ""},
		{`[{"operator":7,"operand":"dm"}]`, "operator", ""},
		{`[{"operator":"is","operand":7}]`, "operand is not a string", ""},
		{`[{"operator":"has","operand":["link"]}]`, "operand is not a string", ""},
		{`[{"operator":"topic","operand":7}]`, "operand is not a string", ""},
		{`[{"operator":"search","operand":7}]`, "operand", ""},
		{`[{"operator":"channel","operand":[7]}]`, "operand", ""},
		{`[{"operator":"dm","operand":[7,"x"]}]`, "operand", ""},
		{`[{"operator":"is","operand":"dm","negated":"yes"}]`, "negated", ""},
		{`[["smoke","signal"]]`, one, "unknown operator smoke"},
		{`[["is","shiny"]]`, one, "unknown 'is' operand shiny"},
		{`[["has","legs"]]`, one, "unknown 'has' operand legs"},
		{`[["in","space"]]`, one, "unknown 'in' operand space"},
		{`[["channels","private"]]`, one, "unknown channels operand private"},
		{`[["channel","nowhere"]]`, one, "unknown channel nowhere"},
		{`[["stream","nowhere"]]`, one, "unknown channel nowhere"},
		{`[{"operator":"channel","operand":999}]`, one, "unknown channel 999"},
		{`[["channel","1"]]`, one, "unknown channel 1"}, // a string is a name
		{`[["dm","nobody@example.com"]]`, one, "unknown user in nobody@example.com"},
		{`[["pm-with","alice@example.com,nobody@example.com"]]`, one, "unknown user in alice@example.com,nobody@example.com"},
		{`[{"operator":"dm","operand":[999]}]`, one, "unknown user in [999]"},
		{`[["dm-including","nobody@example.com"]]`, one, "unknown user nobody@example.com"},
		{`[["group-pm-with","nobody@example.com"]]`, one, "unknown user nobody@example.com"},
		{`[["sender","nobody@example.com"]]`, one, "unknown user nobody@example.com"},
		{`[{"operator":"sender","operand":999}]`, one, "unknown user 999"},
		{`[["sender","1"]]`, one, "unknown user 1"}, // a string is an address
		{`[{"operator":"mentions","operand":999}]`, one, "unknown user 999"},
		{`[["id","x"]]`, one, "Invalid message ID"},
		{`[["id","-1"]]`, one, "Invalid message ID"},
		{`[["id","99999999999999999999"]]`, one, "Invalid message ID"},
		{`[["with","x"]]`, one, "Invalid 'with' operator"},
		{`[["with","999"]]`, one, "Invalid 'with' operator"},
		{`[["with","1"],["with","1"]]`, combined, "Duplicate 'with' operators."},
		{`[["channel","general"],["is","dm"]]`, combined, both},
		{`[["topic","x"],["dm","bob@example.com"]]`, combined, both},
		{`[["channels","public"],["dm-including","bob@example.com"]]`, combined, both},
		{`[["channel","general"],["group-pm-with","bob@example.com"]]`, combined, both},
		{`[["is","dm"],{"operator":"is","operand":"dm","negated":true}]`, combined, both},
	} {
		t.Run(strings.ReplaceAll(c.narrow, "/", " "), func(t *testing.T) {
			s := s.In(t)
			code, msg := "BAD_REQUEST", c.msg
			if c.desc != "" {
				code, msg = "BAD_NARROW", c.msg+c.desc
			}
			for call, more := range map[string][]string{
				"GET /messages":                {"anchor", "newest", "num_before", "5"},
				"GET /messages/matches_narrow": {"msg_ids", fmt.Sprintf("[%d]", id)},
				"POST /messages/flags/narrow": {"anchor", "newest", "num_before", "5", "num_after", "0", "op", "add", "flag",
					"read"},
			} {
				a := s.As("bob").Do(call, append(more, "narrow", c.narrow)...).Error(400, code, msg)
				if c.desc != "" && (a.String("desc") != c.desc || a.String("msg") != msg) {
					t.Errorf("%s: %s", call, a.Body)
				}
			}
			s.NoEvents()
		})
	}
	if got := flags(s, "bob", id); got != "" {
		t.Errorf("a refused call left %q", got)
	}
}

// Unusual but valid narrows.
func TestNarrowsAccepted(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	bob := s.UserID("bob")
	id, direct := post(s, "alice", "general", "Lunch", "x"), sendDirect(s, "alice", "x", "bob")
	empty := post(s, "alice", "general", "", "x")
	all := fmt.Sprint(id, " ", direct, " ", empty)
	for narrow, want := range map[string]string{
		`[]`:   all,
		`null`: all,
		`[{"operator":"topic","operand":"lunch","extra":[1,2]}]`:                          fmt.Sprint(id),
		`[{"operator":"channel","operand":" GENERAL "},["topic","lunch"]]`:                fmt.Sprint(id),
		`[{"operator":"streams","operand":"public"}]`:                                     fmt.Sprint(id, " ", empty),
		fmt.Sprintf(`[{"operator":"stream","operand":%d}]`, s.ChannelID("general")):       fmt.Sprint(id, " ", empty),
		`[["topic","general chat"]]`:                                                      fmt.Sprint(empty),
		`[["topic",""]]`:                                                                  fmt.Sprint(empty),
		`[["pm_with","ALICE@example.com"]]`:                                               fmt.Sprint(direct),
		fmt.Sprintf(`[{"operator":"pm-with","operand":[%d,%d]}]`, s.UserID("alice"), bob): fmt.Sprint(direct),
		`[{"operator":"dm","operand":[]}]`:                                                "",
		`[["dm",""]]`:                                                                     "",
		fmt.Sprintf(`[{"operator":"dm","operand":[%d]}]`, bob):                            "",
		fmt.Sprintf(`[{"operator":"id","operand":%d}]`, direct):                           fmt.Sprint(direct),
		fmt.Sprintf(`[["id","%d"]]`, direct):                                              fmt.Sprint(direct),
		fmt.Sprintf(`[{"operator":"with","operand":%d}]`, direct):                         fmt.Sprint(direct),
		`[["topic","x"],{"operator":"is","operand":"dm","negated":true}]`:                 "",
		`[["is","dm"],{"operator":"channel","operand":"general","negated":true}]`:         fmt.Sprint(direct),
		`[["in","all"]]`: all,
		`[["sender","alice@example.com"],["sender","bob@example.com"]]`: "",
	} {
		if p := list(s.In(t), "bob", "anchor", "newest", "num_before", "10", "narrow", narrow); p.ids() != want {
			t.Errorf("%s: %q, want %q", narrow, p.ids(), want)
		}
	}
}

// The parameters of a range, as plain text and as JSON.
func TestRangeParameters(t *testing.T) {
	s := kittest.Start(t, messages.Module)
	first := post(s, "alice", "general", "x", "x")
	post(s, "alice", "general", "x", "x")
	for _, c := range []struct{ params, code, msg string }{
		{"", "REQUEST_VARIABLE_MISSING", "Missing 'anchor' argument."},
		{"num_before=1", "REQUEST_VARIABLE_MISSING", "Missing 'anchor' argument."},
		{"anchor=", "BAD_REQUEST", "Invalid anchor"},
		{"anchor=1.5", "BAD_REQUEST", "Invalid anchor"},
		{"anchor=latest", "BAD_REQUEST", "Invalid anchor"},
		{"anchor=1&num_before=5001", "BAD_REQUEST", "Too many messages requested (maximum 5000)."},
		{"anchor=1&num_after=5001", "BAD_REQUEST", "Too many messages requested (maximum 5000)."},
		{"anchor=newest&num_before=2500&num_after=2501", "BAD_REQUEST", "Too many messages requested (maximum 5000)."},
		{"anchor=1&num_after=-1", "BAD_REQUEST", "num_after"},
		{"anchor=1&include_anchor=maybe", "BAD_REQUEST", "include_anchor"},
		{"anchor=1&apply_markdown=maybe", "BAD_REQUEST", "apply_markdown"},
		{"anchor=date", "REQUEST_VARIABLE_MISSING", "anchor_date"},
		{"anchor=date&anchor_date=", "BAD_REQUEST", "Invalid anchor_date"},
		{"message_ids=[1]&num_before=0", "INCOMPATIBLE_PARAMETERS",
			"Unsupported parameter combination: num_before, message_ids"},
		{"message_ids=[1]&use_first_unread_anchor=true", "INCOMPATIBLE_PARAMETERS", "use_first_unread_anchor, message_ids"},
		{"message_ids=7", "BAD_REQUEST", "message_ids"},
	} {
		s.In(t).As("bob").Do("GET /messages?"+c.params).Error(400, c.code, c.msg)
	}
	for _, params := range []string{
		fmt.Sprintf("anchor=%d&num_before=0&num_after=0", first), fmt.Sprintf("anchor=%d&smell=none", first),
		"anchor=oldest&num_after=1", "anchor=0&num_after=1", "use_first_unread_anchor=true",
		"anchor=newest&use_first_unread_anchor=true",
	} {
		var p page
		a := s.In(t).As("bob").Do("GET /messages?" + params).OK()
		if err := json.Unmarshal([]byte(a.Body), &p); err != nil || p.ids() != fmt.Sprint(first) {
			t.Errorf("%s: %s", params, a.Body)
		}
		if strings.Contains(params, "smell") != a.Has("ignored_parameters_unsupported") {
			t.Errorf("%s: %s", params, a.Body)
		}
	}
}
