package emoji

// Extra is the name and the code of the one built-in emoji that is not in Unicode.
const Extra = "zulip"

// Where the picture of Extra is served. Clients know the address.
const (
	ExtraPrefix = "/static/generated/emoji/images/emoji/unicode/"
	ExtraSource = ExtraPrefix + Extra + ".png"
)
