package fetch

import "testing"

func TestFitting(t *testing.T) {
	for _, c := range []struct {
		sizes     []int
		at, limit int
		from, to  int
	}{
		{[]int{1, 1, 1, 1, 1}, 2, 9, 0, 5},
		{[]int{1, 1, 1, 1, 1}, 2, 3, 1, 4},
		{[]int{1, 1, 1, 1, 1}, 4, 3, 2, 5},
		{[]int{1, 1, 1, 1, 1}, 0, 3, 0, 3},
		{[]int{9, 9, 9}, 1, 3, 1, 2},
		{[]int{9, 1, 1, 1, 9}, 2, 9, 1, 4},
		{[]int{7}, 0, 3, 0, 1},
	} {
		if from, to := fitting(c.sizes, c.at, c.limit); from != c.from || to != c.to {
			t.Errorf("%v at %d, %d: [%d, %d), want [%d, %d)", c.sizes, c.at, c.limit, from, to, c.from, c.to)
		}
	}
}
