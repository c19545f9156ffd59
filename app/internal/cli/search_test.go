package cli_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

// Searches find the same messages while the index of words is replaced, and afterwards.
func TestSearchReindex(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, a *administered) {
		found := func() bool {
			_, v := a.api("GET", "/messages?"+url.Values{
				"anchor": {"newest"}, "num_before": {"5"}, "num_after": {"0"},
				"narrow": {`[{"operator":"search","operand":"columns"}]`},
			}.Encode(), nil)
			all, _ := v["messages"].([]any)
			return len(all) == 1
		}
		_, me := a.api("GET", "/users/me", nil)
		if status, v := a.api("POST", "/messages", url.Values{
			"type": {"direct"}, "to": {fmt.Sprintf("[%v]", me["user_id"])}, "content": {"painted columns"},
		}); status != 200 {
			t.Fatalf("%d %v", status, v)
		}
		a.run("", "job run messages.search").ok(t)
		if out := a.run("", "search reindex").ok(t).out; !strings.Contains(out, "messages.reindex") || !found() {
			t.Error(out)
		}
		a.run("", "job run messages.reindex").ok(t)
		kittest.Await(t, found)
		if list := a.run("", "audit list --action search.").ok(t).out; !strings.Contains(list, "search.rebuilt") {
			t.Error(list)
		}
	})
}
