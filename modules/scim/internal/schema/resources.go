package schema

// The URNs of the schemas.
const (
	UserURN       = "urn:ietf:params:scim:schemas:core:2.0:User"
	GroupURN      = "urn:ietf:params:scim:schemas:core:2.0:Group"
	EnterpriseURN = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
	StoaURN       = "urn:stoa:params:scim:schemas:extension:1.0:User"
)

// Roles are the values of roles, from most to least permissions.
func Roles() []string { return []string{"owner", "admin", "moderator", "member", "guest"} }

func text(name, doc string) Attribute {
	return Attribute{Name: name, Type: String, Description: doc, Mutability: ReadWrite, Returned: Default,
		Uniqueness: "none"}
}

func complexOf(name, doc string, subs ...Attribute) Attribute {
	return Attribute{Name: name, Type: Complex, Description: doc, Mutability: ReadWrite, Returned: Default,
		Uniqueness: "none", SubAttributes: subs}
}

func flag(name, doc string) Attribute {
	a := text(name, doc)
	a.Type = Boolean
	return a
}

func with(a Attribute, change func(*Attribute)) Attribute {
	change(&a)
	return a
}

func many(a *Attribute)     { a.MultiValued = true }
func required(a *Attribute) { a.Required = true }
func readOnly(a *Attribute) { a.Mutability = ReadOnly }
func exact(a *Attribute)    { a.CaseExact = true }

func reference(name, doc string, to ...string) Attribute {
	return with(text(name, doc), func(a *Attribute) {
		a.Type, a.ReferenceTypes, a.CaseExact, a.Mutability = Reference, to, true, ReadOnly
	})
}

func externalID() Attribute {
	return with(text("externalId", "The resource's ID at the client."), exact)
}

// User returns the resource type of people. Their address is in emails if these are required.
func User(emails bool) *Resource {
	role := func(a *Attribute) { a.CanonicalValues = Roles() }
	core := &Schema{ID: UserURN, Name: "User", Description: "A person's account.", Attributes: []Attribute{
		externalID(),
		with(text("userName", "The address with which the person logs in."), func(a *Attribute) {
			a.Required, a.Uniqueness = true, "server"
		}),
		complexOf("name", "The parts of the person's name.",
			text("formatted", "The full name."),
			text("givenName", "The given name."), text("familyName", "The family name.")),
		text("displayName", "The full name, unless name.formatted is given."),
		text("title", "The person's position."),
		flag("active", "Whether the account is active. Sessions, API keys and event queues of others end."),
		with(complexOf("emails", "The address of the account.",
			with(text("value", "The address."), func(a *Attribute) { a.Required = emails }),
			with(text("type", "The kind of address; always work."), func(a *Attribute) { a.CanonicalValues = []string{"work"} }),
			flag("primary", "Whether this is the account's address.")), func(a *Attribute) {
			many(a)
			a.Required = emails
		}),
		with(complexOf("groups", "The groups with the person.",
			with(text("value", "The ID of the group."), func(a *Attribute) { readOnly(a); exact(a) }),
			reference("$ref", "The URL of the group.", "Group"),
			with(text("display", "The name of the group."), readOnly)), func(a *Attribute) { many(a); readOnly(a) }),
		with(complexOf("roles", "The role in the organization. The highest counts.",
			with(text("value", "The role."), role), flag("primary", "Ignored.")), many),
	}}
	enterprise := &Schema{ID: EnterpriseURN, Name: "EnterpriseUser", Description: "The person's place in the company.",
		Attributes: []Attribute{
			text("employeeNumber", "The number of the employee."), text("costCenter", "The cost center."),
			text("organization", "The organization."), text("division", "The division."),
			text("department", "The department."),
			complexOf("manager", "The manager.", text("value", "The manager's ID at the client, or here."),
				with(text("displayName", "The manager's name."), readOnly)),
		}}
	stoa := &Schema{ID: StoaURN, Name: "StoaUser", Description: "What belongs to this server.",
		Attributes: []Attribute{with(text("role", "The role in the organization."), role)}}
	return &Resource{Name: "User", Endpoint: "/Users", Description: "People's accounts.", Core: core,
		Extensions: []*Schema{enterprise, stoa},
		Unsupported: []string{"password", "nickName", "profileUrl", "userType", "preferredLanguage", "locale", "timezone",
			"phoneNumbers", "ims", "photos", "addresses", "entitlements", "x509Certificates"}}
}

// Group returns the resource type of user groups.
func Group() *Resource {
	core := &Schema{ID: GroupURN, Name: "Group", Description: "A user group.", Attributes: []Attribute{
		externalID(),
		with(text("displayName", "The name of the group."), func(a *Attribute) { required(a); a.Uniqueness = "server" }),
		with(complexOf("members", "The members.",
			with(text("value", "The ID of the user."), func(a *Attribute) { a.Mutability = Immutable; exact(a) }),
			reference("$ref", "The URL of the user.", "User"),
			with(text("type", "The type of the member."), func(a *Attribute) {
				a.Mutability, a.CanonicalValues = ReadOnly, []string{"User"}
			}),
			with(text("display", "The name of the user."), readOnly)), many),
	}}
	return &Resource{Name: "Group", Endpoint: "/Groups", Description: "User groups.", Core: core}
}
