package relay

import (
	"math"
	"time"
)

// Quota is a token bucket with the capacity Size, which is refilled over Per.
type Quota struct {
	Size int
	Per  time.Duration
}

// Bucket is the state of a quota. The zero value is full.
type Bucket struct {
	used float64
	at   time.Time
}

// Take consumes n, or consumes nothing and returns how long to wait for n.
func (b *Bucket) Take(q Quota, n int, now time.Time) (wait time.Duration, ok bool) {
	if passed := now.Sub(b.at); passed > 0 {
		b.used = math.Max(0, b.used-float64(q.Size)*float64(passed)/float64(q.Per))
		b.at = now
	}
	if excess := b.used + float64(n) - float64(q.Size); excess > 0 {
		return time.Duration(math.Ceil(excess / float64(q.Size) * float64(q.Per))), false
	}
	b.used += float64(n)
	return 0, true
}
