package cli_test

import (
	"net/url"
	"strings"
	"testing"
)

// Operators change, archive and open channels by the rules of the API; clients see it, and the audit log.
func TestChannelCommands(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		queue := a.register()
		if status, v := a.api("POST", "/users/me/subscriptions", url.Values{
			"subscriptions": {`[{"name":"porch"}]`},
		}); status != 200 {
			t.Fatalf("%d %v", status, v)
		}
		a.await(queue, `"porch"`)
		a.run("", "channel set porch --description Painted. --private --name stoa").ok(t)
		a.await(queue, `"property":"name"`, `"value":"stoa"`)
		a.run("", "channel set stoa").fails(t, 2, "--name")
		a.run("", "channel set stoa --retention never").fails(t, 1, "message_retention_days")
		a.run("", "channel archive stoaa").fails(t, 3, `did you mean "stoa"?`)
		a.run("", "channel archive stoa").fails(t, 4, "would archive channel", "1 subscribers")
		a.run("", "channel archive stoa --yes").ok(t)
		a.await(queue, `"type":"stream"`, `"op":"delete"`)
		a.run("", "channel archive stoa --yes").fails(t, 1, "already archived")
		state := func(archived bool) {
			t.Helper()
			for _, c := range decoded[[]map[string]any](t, a.run("", "channel list --json")) {
				if c["name"] == "stoa" && (c["is_archived"] != archived || c["is_private"] != true || c["subscribers"] != 1.0) {
					t.Errorf("%v", c)
				}
			}
		}
		state(true)
		if out := a.run("", "channel unarchive stoa").ok(t).out; !strings.HasPrefix(out, "unarchived channel ") {
			t.Error(out)
		}
		state(false)
		list := a.run("", "audit list --action channel.").ok(t).out
		for _, want := range []string{"channel.changed", "channel.archived", "channel.unarchived"} {
			if !strings.Contains(list, want) {
				t.Errorf("%s is not in\n%s", want, list)
			}
		}
	})
}
