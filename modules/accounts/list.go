package accounts

import (
	"bytes"

	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/permission"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
)

// list encodes users as seen by reader (see record), or by spectators if reader is nil. The keys that are the same for
// all readers are encoded once and cached.
type list struct {
	v      *directory.View
	reader *user.User
	how    format
	domain string
	users  []shown
}

// shown is a user in a list.
type shown struct {
	*user.User
	unknown bool // the reader cannot see the user
}

func newList(v *directory.View, reader *user.User, h format, users ...shown) *list {
	return &list{v, reader, h, domainOf(v), users}
}

// Size implements kit.Encoded.
func (l *list) Size() int {
	if l.how.gravatar {
		return 380 * len(l.users)
	}
	return 480 * len(l.users) // includes the URLs of avatars
}

// MarshalJSON implements json.Marshaler.
func (l *list) MarshalJSON() ([]byte, error) { return l.AppendJSON(nil) }

// AppendJSON implements kit.Encoded.
func (l *list) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, '[')
	for i, u := range l.users {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		switch {
		case u.unknown:
			b, err = kit.AppendJSON(b, unknown(l.v, u.User, l.how))
		case l.reader == nil:
			b, err = kit.AppendJSON(b, forSpectators(l.v, u.User, l.how))
		default:
			b, err = l.append(b, u.User)
		}
		if err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func (l *list) append(b []byte, u *user.User) ([]byte, error) {
	e, err := directory.Recall(l.v.UserMemo(u.ID), l.isCurrent, func() (*encoded, error) { return encode(l.v, u) })
	if err != nil {
		return nil, err
	}
	b = append(b, e.text[:e.address]...)
	if permission.SeesEmail(l.reader, u) {
		b = append(b, e.text[e.address:e.picture]...)
	} else {
		b = append(b, `,"delivery_email":null`...)
	}
	if l.how.gravatar && u.ComputesAvatar() {
		b = append(b, `,"avatar_url":null`...)
	} else {
		b = append(b, e.text[e.picture:]...)
	}
	switch {
	case l.how.active && u.Active:
		b = append(b, `,"is_active":true`...)
	case l.how.active:
		b = append(b, `,"is_active":false`...)
	}
	if l.how.profile && !u.IsBot() {
		b = append(append(b, `,"profile_data":`...), l.how.profileOf(u)...)
	}
	return append(b, '}'), nil
}

func (l *list) isCurrent(e *encoded) bool { return e.domain == l.domain }

// encoded is the beginning of a user's record as JSON: the keys that are the same for all readers. The keys
// delivery_email, at offset address, and avatar_url, at offset picture, are omitted for some readers.
type encoded struct {
	text             []byte
	address, picture int
	domain           string
}

func encode(v *directory.View, u *user.User) (*encoded, error) {
	b, err := kit.AppendJSON(nil, commonFields(v, u))
	if err != nil {
		return nil, err
	}
	e := &encoded{address: len(b) - 1, domain: domainOf(v)}
	if b, err = kit.AppendJSON(append(b[:e.address], `,"delivery_email":`...), u.DeliveryEmail); err != nil {
		return nil, err
	}
	e.picture = len(b)
	b, err = kit.AppendJSON(append(b, `,"avatar_url":`...), permission.AvatarURL(v, u, false))
	e.text = bytes.Clone(b) // without unused capacity, because it is cached
	return e, err
}
