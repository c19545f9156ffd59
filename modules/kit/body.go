package kit

// Body is the whole body of a request, for rows that read a format of their own. A field of Req of this type takes it.
// The fields of a form are parameters as well; a body of any other type gives none.
type Body struct {
	Type  string // the media type without its parameters, in lower case
	Bytes []byte
}

// Keyed marks a row that is called with an API key in a parameter, in the query or a form, instead of a login: for
// services that can be given nothing but a URL. Errors are those of a login: InvalidAPIKey, UserDeactivated,
// RealmDeactivated.
func (e Endpoint) Keyed(param string) Endpoint { e.KeyParam = param; return e }
