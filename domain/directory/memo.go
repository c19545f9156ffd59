package directory

import (
	"sync/atomic"

	"github.com/stoachat/stoa/domain/channel"
	"github.com/stoachat/stoa/domain/user"
)

// Memo keeps what has been worked out of a record, such as its JSON text, for as long as a view holds the record: all
// versions that share the record share the memo, and the record that replaces it begins with an empty one. So what
// thousands of answers say alike is encoded once, and a change of one person costs the encoding of that one. It keeps
// one thing, and goes when the record does: the text of a person takes about 500 bytes, that of a channel 1 KB.
type Memo struct{ is atomic.Pointer[any] }

// Recall gives what is kept of a record if it still holds, for whatever else it was worked out of; if not, it is worked
// out anew. A nil memo keeps nothing. What is given is shared: nobody may write to it.
func Recall[T any](m *Memo, holds func(*T) bool, work func() (*T, error)) (*T, error) {
	if m == nil {
		return work()
	}
	if is := m.is.Load(); is != nil {
		if t, ok := (*is).(*T); ok && holds(t) {
			return t, nil
		}
	}
	t, err := work()
	if err == nil {
		var is any = t
		m.is.Store(&is)
	}
	return t, err
}

// UserMemo is the memo of a user's record, nil if there is none.
func (v *View) UserMemo(id user.ID) *Memo { e, _ := v.users.get(id); return e.memo }

// ChannelMemo is the memo of a channel's record, nil if there is none.
func (v *View) ChannelMemo(id channel.ID) *Memo { e, _ := v.channels.get(id); return e.memo }

// kept is a record and its memo.
type kept[T any] struct {
	record *T
	memo   *Memo
}

func keep[T any](record *T) kept[T] { return kept[T]{record, &Memo{}} }
