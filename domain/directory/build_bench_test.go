package directory_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// BenchmarkBuild builds the view of 10,000 users and 1,000 channels with 200 subscribers each, and reports the memory
// that it keeps apart from the records.
func BenchmarkBuild(b *testing.B) {
	people, rooms, in := make([]*user.User, 10_000), make([]*channel.Channel, 1000), make([][]user.ID, 1000)
	for i := range people {
		people[i] = &user.User{ID: user.ID(i + 10), DeliveryEmail: fmt.Sprintf("p%d@example.com", i),
			FullName: fmt.Sprintf("Person %d", i), Role: user.Member, Active: true}
	}
	for i := range rooms {
		rooms[i] = &channel.Channel{ID: channel.ID(i + 1), Name: fmt.Sprintf("channel %d", i)}
		for k := range 200 {
			in[i] = append(in[i], people[(i*131+k*37)%len(people)].ID)
		}
	}
	build := func() *directory.View {
		var d directory.Builder
		for _, u := range people {
			d.User(u)
		}
		for i, c := range rooms {
			d.Channel(c)
			for _, u := range in[i] {
				d.Subscriptions(u, c.ID)
			}
		}
		return d.View(1)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v := build()
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ResetTimer()
	for b.Loop() {
		build()
	}
	b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1e6, "MB-kept")
	runtime.KeepAlive(v)
}
