package kit

// Body is the entire body of a request. Endpoints that parse their own format have a field of this type in Req. Form
// fields that can be read are also available as parameters, unless the query contains them.
type Body struct {
	Type  string // the media type without parameters, in lower case
	Bytes []byte
}

// Headers returns the value of a request header, or "". A field of this type in Req is for endpoints that read headers
// whose names are data. It must not be called after the handler has returned.
type Headers func(name string) string

// Params holds the parameters of a request that no other field of Req takes, by name. A field of this type in Req is
// for endpoints whose parameters' names are data.
type Params map[string]string

// AcceptKey names a query or form parameter that contains the caller's API key. It is for external services that can
// only be configured with a URL. Errors: InvalidAPIKey, UserDeactivated, RealmDeactivated.
func (e Endpoint) AcceptKey(param string) Endpoint { e.KeyParam = param; return e }
