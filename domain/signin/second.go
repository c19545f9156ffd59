package signin

import (
	"time"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
)

// Challenge is a page on which a person continues a login, in the browser in which they began it.
type Challenge struct {
	Page   string // path from the server's root, with the ID as its parameter step; "": nothing else is needed
	ID     string // names the cookie
	Secret string // the cookie's value
	Ends   time.Time
}

// SecondStep is a query whether a person who has proven who they are must give a second factor before they are logged
// in. twofactor keeps the flow, and returns a Challenge after which it finishes the login.
type SecondStep struct {
	Realm realm.ID
	User  user.ID
	Flow  Flow
}

// WithSecondFactor is the name of the login method with which people open the login page in a browser, because the
// login form of their app does not ask for a second factor.
const WithSecondFactor = "Stoa (with second factor)"

// SecondFactor is a query for whether a password is not enough to log a user in. twofactor returns a bool.
type SecondFactor struct {
	Realm realm.ID
	User  user.ID
	SetUp bool // asks whether the user has set up a second factor, rather than whether a login asks for one
}
