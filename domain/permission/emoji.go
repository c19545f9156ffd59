package permission

import (
	"github.com/stoachat/stoa/domain/directory"
	"github.com/stoachat/stoa/domain/user"
)

// AddsEmoji reports whether u is allowed to add custom emoji. Only administrators may override default emoji.
func AddsEmoji(v *directory.View, u *user.User) bool {
	return u != nil && u.Active && Holds(v, u.ID, "can_add_custom_emoji_group")
}

// RemovesEmoji reports whether u is allowed to deactivate a custom emoji that author added.
func RemovesEmoji(u *user.User, author user.ID) bool {
	return u != nil && u.Active && (u.IsAdmin() || author == u.ID)
}
