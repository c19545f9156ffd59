package kernel

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// view returns a realm with n users and n/10 channels with ten subscribers each.
func view(n int) *directory.View {
	var changes []directory.Change
	for id := range user.ID(n) {
		changes = append(changes, directory.OfUser(nil, &user.User{
			ID: id + 1, FullName: fmt.Sprintf("Ada Lovelace the %dth", id),
			DeliveryEmail: fmt.Sprintf("ada.lovelace.%d@example.com", id),
			Active:        true, Role: user.Member,
		}))
	}
	for id := range channel.ID(n / 10) {
		changes = append(changes, directory.OfChannel(nil, &channel.Channel{
			ID: id + 1, Name: fmt.Sprintf("channel %d", id), Description: fmt.Sprintf("What channel %d is about.", id),
		}))
	}
	return directory.Empty().Apply(1, changes...)
}

// The estimate agrees with what the collector of garbage finds.
func TestMemoryOfViews(t *testing.T) {
	used := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for _, n := range []int{1000, 10_000} {
		before := used()
		v := view(n)
		held := used() - before
		if got := memoryOf(v); got < held/2 || got > held*2 {
			t.Errorf("%d users: estimated %d bytes of %d", n, got, held)
		}
		runtime.KeepAlive(v)
	}
}

// The estimate takes milliseconds, since it runs while somebody waits for /metrics.
func BenchmarkMemoryOf(b *testing.B) {
	v := view(10_000)
	for b.Loop() {
		memoryOf(v)
	}
}
