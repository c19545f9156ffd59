package saml

import "github.com/crewjam/saml"

// preset holds what is peculiar to a well-known provider: the names of its attributes.
type preset struct {
	name, subject, email, displayName, groups string
}

// The beginnings of names that Microsoft's products have given to attributes.
const (
	claims = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/"
	entra  = "http://schemas.microsoft.com/identity/claims/"
)

var presets = map[string]preset{
	"authentik": {
		name: "Authentik", email: claims + "emailaddress", displayName: claims + "name",
		groups: "http://schemas.xmlsoap.org/claims/Group",
	},
	// The NameID is the name with which people log in, which changes when they marry.
	"entra": {
		name: "Microsoft", subject: entra + "objectidentifier", email: claims + "emailaddress",
		displayName: entra + "displayname", groups: "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups",
	},
	"adfs": {
		name: "AD FS", email: claims + "emailaddress", displayName: claims + "name",
		groups: "http://schemas.xmlsoap.org/claims/Group",
	},
}

// nameIDFormats are the formats that name_id_format can name.
var nameIDFormats = map[string]saml.NameIDFormat{
	"persistent": saml.PersistentNameIDFormat, "emailAddress": saml.EmailAddressNameIDFormat,
	"unspecified": saml.UnspecifiedNameIDFormat,
}
