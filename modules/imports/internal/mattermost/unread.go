package mattermost

import (
	"cmp"
	"slices"

	"github.com/stoachat/stoa/domain/importing"
)

// views says when people have last viewed a conversation. Those who never have are not in it: for them, everything is
// read.
type views struct {
	all []view // after sort, the earliest first
}

type view struct {
	by importing.Key
	at int64 // milliseconds
}

// viewed notes that somebody has viewed a conversation.
func (x *index) viewed(conversation importing.Key, username string, at int64) {
	if at <= 0 || conversation == "" {
		return
	}
	if x.views[conversation] == nil {
		x.views[conversation] = &views{}
	}
	v := x.views[conversation]
	v.all = append(v.all, view{personKey(username), at})
}

func (v *views) sort() {
	slices.SortFunc(v.all, func(a, b view) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
}

// unread returns who has not read a post of a time: those who have last viewed the conversation before it, and of a
// thread, those who follow it and have last viewed it before. Its author has.
func (v *views) unread(at int64, author importing.Key, followers []followerLine) []importing.Key {
	follows := map[importing.Key]bool{}
	var out []importing.Key
	for _, f := range followers {
		k := personKey(f.User)
		if follows[k] = true; f.LastViewed < at && k != author {
			out = append(out, k)
		}
	}
	if v != nil {
		for _, one := range v.all {
			if one.at >= at {
				break
			}
			if !follows[one.by] && one.by != author {
				out = append(out, one.by)
			}
		}
	}
	return out
}
