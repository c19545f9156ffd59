package access_test

import (
	"fmt"
	"net/http"
	"strings"
)

// searches searches for secret words and their prefixes with every operator. The results must not contain secrets.
func (o *oracle) searches(c *caller) {
	o.t.Helper()
	list := func(narrow string, more ...string) {
		for _, anchor := range []string{"newest", "oldest"} {
			a := o.ask(c, "GET /messages", append([]string{"anchor", anchor, "num_before", "100", "num_after", "100", "narrow",
				narrow}, more...)...)
			if a.Status == http.StatusOK { // an error may repeat the caller's input
				o.checkText(c, "GET /messages "+narrow[:min(len(narrow), 30)], whole(a.Header, a.Body))
			}
		}
	}
	for word, s := range o.secrets {
		if s.may(c) || o.faulty[c.name+word] {
			continue
		}
		a := o.ask(c, "GET /messages", "anchor", "newest", "num_before", "9", "num_after", "0", "narrow",
			fmt.Sprintf(`[["search",%q]]`, word))
		if a.Status == http.StatusOK {
			o.checkText(c, "a search", whole(a.Header, a.Body))
		}
	}
	narrows := []string{
		`[]`, `[["search","zq"]]`, `[["channels","public"]]`, `[["channels","web-public"]]`, `[["channels","archived"]]`,
		`[["has","link"]]`, `[["has","reaction"]]`,
		`[["is","dm"]]`, `[["is","starred"]]`, `[["is","mentioned"]]`, `[["is","unread"]]`, `[["is","alerted"]]`,
		`[["is","followed"]]`, `[["in","all"]]`,
		`[{"operator":"channels","operand":"public","negated":true}]`, `[{"operator":"is","operand":"dm","negated":true}]`,
		fmt.Sprintf(`[{"operator":"sender","operand":%d}]`, o.alice.id),
		fmt.Sprintf(`[{"operator":"sender","operand":%d}]`, o.olga.id),
		fmt.Sprintf(`[{"operator":"dm","operand":[%d]}]`, o.alice.id),
		fmt.Sprintf(`[{"operator":"dm-including","operand":%d}]`, o.alice.id),
		fmt.Sprintf(`[{"operator":"mentions","operand":%d}]`, o.called("member").id),
	}
	for _, ch := range o.channels {
		narrows = append(narrows, fmt.Sprintf(`[{"operator":"channel","operand":%s}]`, ch.fields["id"]),
			fmt.Sprintf(`[{"operator":"channel","operand":%s,"negated":true}]`, ch.fields["id"]))
	}
	var ids []string
	for _, m := range o.messages {
		ids = append(ids, m.fields["id"])
		narrows = append(narrows, fmt.Sprintf(`[["with",%q]]`, m.fields["id"]))
		a := o.ask(c, "POST /messages/flags", "messages", "["+m.fields["id"]+"]", "op", "remove", "flag", "read")
		o.checkText(c, "POST /messages/flags", whole(a.Header, a.Body))
	}
	for _, n := range narrows {
		list(n, "apply_markdown", "false", "client_gravatar", "false")
	}
	every := "[" + strings.Join(ids, ",") + "]"
	for _, params := range [][]string{
		{"GET /messages", "message_ids", every}, {"GET /messages", "message_ids", every, "apply_markdown", "false",
			"client_gravatar", "false"},
		{"GET /messages/matches_narrow", "msg_ids", every, "narrow", "[]"},
		{"GET /messages/matches_narrow", "msg_ids", every, "narrow", `[["search","zq"]]`},
	} {
		a := o.ask(c, params[0], params[1:]...)
		o.checkText(c, params[0], whole(a.Header, a.Body))
	}
	for _, text := range []string{"@**Ivan** @_**ivan** #**zq** @*zq* @**alice**", "#**zq>zq** <zq@proof.example.com>"} {
		a := o.ask(c, "POST /messages/render", "content", text)
		o.checkText(c, "POST /messages/render", a.Body)
	}
	for _, p := range o.people {
		for _, text := range []string{"@**|%s**", "@_**x|%s**", "@**Ivan|%s**"} {
			a := o.ask(c, "POST /messages/render", "content", fmt.Sprintf(text, p.fields["id"]))
			o.checkText(c, "POST /messages/render", a.Body)
		}
	}
}
