package ldap

// preset has the values of a product.
type preset struct {
	name, userFilter, id, uid, groupFilter, active string
}

const generalFilter = "(&(objectClass=person)(|(uid=%s)(mail=%s)))"

var presets = map[string]preset{
	"openldap": {name: "OpenLDAP", groupFilter: "(|(member=%s)(uniqueMember=%s)(memberUid=%u))"},
	"ad": {
		name: "Active Directory", id: "objectGUID", uid: "sAMAccountName",
		userFilter: "(&(objectCategory=person)(objectClass=user)(|(sAMAccountName=%s)(userPrincipalName=%s)(mail=%s)))",
		// LDAP_MATCHING_RULE_IN_CHAIN: the server follows groups of groups.
		groupFilter: "(&(objectClass=group)(member:1.2.840.113556.1.4.1941:=%s))",
	},
	"freeipa": {name: "FreeIPA", id: "ipaUniqueID"},
	"lldap":   {name: "LLDAP"},
	"authentik": {name: "Authentik", id: "uid", uid: "cn", active: "ak-active",
		userFilter: "(&(objectClass=user)(|(cn=%s)(mail=%s)))"},
	"okta": {name: "Okta", id: "uniqueIdentifier"},
}

// filled returns the configuration with the values of the preset and the defaults.
func (d directoryConfig) filled() directoryConfig {
	at := presets[d.Preset]
	set := func(to *string, values ...string) {
		for _, v := range values {
			if *to == "" {
				*to = v
			}
		}
	}
	set(&d.ID, d.Preset)
	set(&d.Name, at.name, d.ID)
	set(&d.MinVersion, "1.2")
	set(&d.UserFilter, at.userFilter, generalFilter)
	set(&d.IDAttribute, at.id, "entryUUID")
	set(&d.UIDAttribute, at.uid, "uid")
	set(&d.EmailAttribute, "mail")
	set(&d.NameAttribute, "displayName")
	set(&d.GroupAttribute, "memberOf")
	set(&d.GroupFilter, at.groupFilter)
	set(&d.ActiveAttribute, at.active)
	set(&d.GroupBaseDN, d.BaseDN)
	if d.Timeout == 0 {
		d.Timeout = timeout
	}
	return d
}
