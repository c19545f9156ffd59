package kit

// RateClass is a class of a module's routes, whose requests have limits of their own in addition to those of all
// requests. A route joins it with Rate(name). Its name in the configuration is module.name, and the operator changes
// its limits with http.rate_limits.classes.
type RateClass struct {
	Name string // unique in the module
	Doc  string // a sentence that says what the class limits
	// The default limits, per http.rate_limits.window. PerUser is for a user, the bots of an owner together, or an
	// address that is not logged in; PerRealm is for all of an organization together. 0: no limit.
	PerUser, PerRealm int
}

// RateRequests is the name of the class of all routes without another one.
const RateRequests = "requests"

// OwnRateClass reports whether a class is one of the server.
func OwnRateClass(name string) bool {
	switch name {
	case "", RateFiles, RatePolls, RateServers, LoginClass:
		return true
	}
	return false
}
