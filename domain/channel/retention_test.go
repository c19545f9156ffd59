package channel_test

import (
	"testing"
	"time"

	"github.com/stoachat/stoa/domain/channel"
)

func TestKeeps(t *testing.T) {
	n := func(days int) *int { return &days }
	for _, c := range []struct {
		own   *int
		realm int
		want  int // days; 0: forever
	}{
		{nil, -1, 0}, {nil, 0, 0}, {nil, 30, 30}, {n(-1), 30, 0}, {n(7), 30, 7}, {n(7), -1, 7}, {n(1), 7, 1},
		{n(1<<31 - 1), 7, 0}, {nil, 1<<31 - 1, 0}, {n(100_000), -1, 100_000},
	} {
		got, ends := (&channel.Channel{RetentionDays: c.own}).Keeps(c.realm)
		if ends != (c.want > 0) || got != time.Duration(c.want)*24*time.Hour {
			t.Errorf("%v in a realm with %d: %v %v", c.own, c.realm, got, ends)
		}
	}
}
