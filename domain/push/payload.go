package push

import "github.com/stoachat/stoa/domain/user"

// Common is what every payload says.
type Common struct {
	Type      string  `json:"type"`
	RealmURL  string  `json:"realm_url"`
	RealmName string  `json:"realm_name"`
	User      user.ID `json:"user_id"`
}

// Test is the payload of a test notification.
type Test struct {
	Common
	Time int64 `json:"time"` // Unix seconds
}
