package directory

import (
	"sync/atomic"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
)

// Memo caches a value derived from a record, such as its JSON, for as long as a view holds the record. All versions of
// a view that share the record share the memo; a new record starts with an empty one. A value contained in thousands of
// responses is therefore encoded once. A memo holds one value: the JSON of a user takes about 500 bytes, that of a
// channel 1 KB.
type Memo struct{ value atomic.Pointer[any] }

// Recall returns the cached value if valid accepts it, and otherwise computes and caches it. A nil memo caches nothing.
// The value is shared and must not be modified.
func Recall[T any](m *Memo, valid func(*T) bool, compute func() (*T, error)) (*T, error) {
	if m == nil {
		return compute()
	}
	if value := m.value.Load(); value != nil {
		if t, ok := (*value).(*T); ok && valid(t) {
			return t, nil
		}
	}
	t, err := compute()
	if err == nil {
		var value any = t
		m.value.Store(&value)
	}
	return t, err
}

// UserMemo returns the memo of a user's record, nil if there is none.
func (v *View) UserMemo(id user.ID) *Memo { e, _ := v.users.get(id); return e.memo }

// ChannelMemo returns the memo of a channel's record, nil if there is none.
func (v *View) ChannelMemo(id channel.ID) *Memo { e, _ := v.channels.get(id); return e.memo }

// entry is a record and its memo.
type entry[T any] struct {
	record *T
	memo   *Memo
}

func newEntry[T any](record *T) entry[T] { return entry[T]{record, &Memo{}} }
