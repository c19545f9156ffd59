package kit

// Body is the whole body of a request. A field of Req of this type receives it, for endpoints that parse a format of
// their own. The fields of a form remain available as parameters.
type Body struct {
	Type  string // the media type without parameters, in lower case
	Bytes []byte
}

// Keyed makes the endpoint authenticate callers by an API key in a parameter of the query or form, for external
// services in which only a URL can be configured. Errors: InvalidAPIKey, UserDeactivated, RealmDeactivated.
func (e Endpoint) Keyed(param string) Endpoint { e.KeyParam = param; return e }
