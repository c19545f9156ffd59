package kit

// Body is the whole body of a request, for rows that parse a format of their own: a field of Req of this type receives
// it. The fields of a form are parameters as well; bodies of other types contain none.
type Body struct {
	Type  string // the media type without parameters, in lower case
	Bytes []byte
}

// Keyed marks a row that authenticates by an API key in a parameter of the query or form, for services that can be
// configured with nothing but a URL. Errors: InvalidAPIKey, UserDeactivated, RealmDeactivated.
func (e Endpoint) Keyed(param string) Endpoint { e.KeyParam = param; return e }
