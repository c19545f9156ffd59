package emoji

// Extra is the name and code of the only built-in emoji that is not in Unicode.
const Extra = "zulip"

// The path of Extra's picture. Clients hard-code it.
const (
	ExtraPrefix = "/static/generated/emoji/images/emoji/unicode/"
	ExtraSource = ExtraPrefix + Extra + ".png"
)
