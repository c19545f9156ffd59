package quota_test

import (
	"testing"

	"github.com/stoachat/stoa/domain/quota"
	"github.com/stoachat/stoa/domain/user"
)

// TestOthersKeepAShare makes as many things as each role may, in turn, and checks that something is left for the next.
func TestOthersKeepAShare(t *testing.T) {
	for _, total := range []int{2, 3, 9, 10, 11, 50, 99, 100, 500} {
		for _, author := range []int{1, 7, total, 10 * total} {
			l := quota.Limit{What: "things", Total: total, Author: author}
			all := 0
			fill := func(r user.Role) (own int) {
				for l.Admit(r, quota.Count{All: all, Own: own}, 1) == nil && all <= total {
					all, own = all+1, own+1
				}
				return own
			}
			for range 2 {
				if fill(user.Member) == 0 {
					t.Fatalf("%+v: one member leaves nothing for another", l)
				}
			}
			for range total {
				fill(user.Member)
			}
			if total < 10 {
				continue
			}
			if fill(user.Admin) == 0 || fill(user.Owner) == 0 {
				t.Fatalf("%+v: nothing is kept for administrators, or for owners", l)
			}
			if all != total {
				t.Fatalf("%+v: %d are used", l, all)
			}
		}
	}
}
