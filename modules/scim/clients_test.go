package scim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/ports"
)

const patchOp = `"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],`

// TestOkta sends what Okta sends, from the probe to the deactivation.
func TestOkta(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		p.do("GET /Users?startIndex=1&count=2", "").is(200).has("itemsPerPage", "2")
		p.find(`userName eq "ada@example.com"`, "startIndex", "1", "count", "100").has("totalResults", "0")
		id := p.do("POST /Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"userName":"ada@example.com",
			"name":{"givenName":"Ada","familyName":"Lovelace"},"emails":[{"primary":true,"value":"ada@example.com",
			"type":"work"}],"displayName":"Ada Lovelace","locale":"en-US","externalId":"00ujl29u0le5T6Aj10h7","groups":[],
			"password":"1mz050nq","active":true}`).is(201).has("groups", "", "password", "").get("id")
		// A wizard app sends the whole user.
		p.do("GET /Users/"+id, "").is(200)
		p.do("PUT /Users/"+id, `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":"`+id+`",
			"userName":"ada@example.com","name":{"givenName":"Ada","familyName":"King"},"emails":[{"primary":true,
			"value":"ada@example.com","type":"work","display":"x"}],"active":true,"groups":[],
			"meta":{"resourceType":"User","version":"x"}}`).is(200).has("displayName", "Ada King", "name/familyName", "King")
		for range 2 { // requests are repeated
			p.do("PATCH /Users/"+id, `{`+patchOp+`"Operations":[{"op":"replace","value":{"active":false}}]}`).is(200).
				has("active", "false", "name/familyName", "King")
		}
		p.do("PUT /Users/"+id, `{"userName":"ada@example.com","name":{"givenName":"Ada","familyName":"King"}}`).is(200).
			has("active", "false")
		for range 2 {
			p.do("PATCH /Users/"+id, `{`+patchOp+`"Operations":[{"op":"replace","value":{"active":true}}]}`).is(200).
				has("active", "true")
		}

		// Groups are pushed.
		p.do(`GET /Groups?filter=displayName%20eq%20%22Staff%22&startIndex=1&count=100`, "").is(200).has("totalResults", "0")
		g := p.do("POST /Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"displayName":"Staff",
			"members":[]}`).is(201).get("id")
		alice := fmt.Sprint(p.s.UserID("alice"))
		p.do("PATCH /Groups/"+g, `{`+patchOp+`"Operations":[{"op":"replace","value":{"id":"`+g+`",
			"displayName":"All staff"}}]}`).is(200).has("displayName", "All staff")
		p.do("PATCH /Groups/"+g, `{`+patchOp+`"Operations":[{"op":"remove","path":"members[value eq \"`+alice+`\"]"},
			{"op":"add","path":"members","value":[{"value":"`+id+`","display":"ada@example.com"},
			{"value":"`+alice+`","display":"alice@example.com"}]}]}`).is(200).has("members/0/value", alice, "members/1/value", id)
		p.do("PATCH /Groups/"+g, `{`+patchOp+`"Operations":[{"op":"remove","path":"members[value eq \"`+alice+`\"]"}]}`).
			is(200).has("members/0/value", id, "members/1/value", "")
		p.do("GET /Users/"+id, "").is(200).has("groups/0/value", g, "groups/0/display", "All staff")
		p.do("PUT /Groups/"+g, `{"displayName":"All staff","members":[{"value":"`+alice+`"}]}`).is(200).
			has("members/0/value", alice, "members/1/value", "")
	})
}

// TestEntra sends what Microsoft Entra ID sends, also what its documentation calls known issues.
func TestEntra(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database, `profile_fields: {department: Department, manager: Manager}`)
		field := kittest.JSON(p.s.As("olga").Do("POST /realm/profile_fields", "name", "Department", "field_type", "1").
			OK().Int("id"))
		p.find(`externalId eq "bd1b3a5e"`).has("totalResults", "0")
		id := p.do("POST /Users", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","`+enterprise+`"],
			"externalId":"bd1b3a5e","userName":"ada@example.com","active":"True","displayName":"Ada Lovelace",
			"emails":[{"primary":"True","type":"work","value":"ada@example.com"}],
			"name":{"formatted":"Ada Lovelace","familyName":"Lovelace","givenName":"Ada"},"title":"Countess",
			"roles":[{"primary":"True","type":"WindowsAzureActiveDirectoryRole","value":"guest"}],
			"`+enterprise+`":{"department":"Engines","manager":"26118915"}}`).is(201).
			has("active", "true", "roles/0/value", "guest", enterprise+"/manager/value", "26118915").get("id")
		p.find(`externalId eq "bd1b3a5e"`).has("totalResults", "1", "Resources/0/id", id)
		profile := func() string {
			return fmt.Sprint(p.s.As("olga").Do("GET /users/"+id, "include_custom_profile_fields", "true").OK().
				Get("user.profile_data." + field + ".value"))
		}
		if got := profile(); got != "Engines" {
			t.Errorf("the department is %q", got)
		}
		patch := func(ops string) *response {
			t.Helper()
			return p.do("PATCH /Users/"+id, `{`+patchOp+`"Operations":[`+ops+`]}`)
		}
		patch(`{"op":"Replace","path":"active","value":"False"}`).is(200).has("active", "false")
		patch(`{"op":"Replace","path":"active","value":[{"value":"True"}]}`).is(200).has("active", "true")
		patch(`{"op":"Add","path":"`+enterprise+`:manager","value":"4711"},
			{"op":"Replace","path":"`+enterprise+`:department","value":"Analysis"}`).is(200).
			has(enterprise+"/manager/value", "4711", enterprise+"/department", "Analysis")
		if got := profile(); got != "Analysis" {
			t.Errorf("the department is %q", got)
		}
		patch(`{"op":"Add","path":"`+enterprise+`:manager","value":[{"$ref":"x","value":"4712"}]}`).is(200).
			has(enterprise+"/manager/value", "4712")
		patch(`{"op":"Add","value":{"name.givenName":"Augusta","displayName":"Augusta Ada",
			"name.formatted":"Augusta Ada King","`+enterprise+`:division":"North",
			"emails[type eq \"work\"].value":"ada@example.com","phoneNumbers[type eq \"work\"].value":"1",
			"addresses[type eq \"work\"].locality":"London","urn:other:2.0:User:badge":"7","`+own+`":{"role":"member"}}}`).is(200).
			has("name/givenName", "Augusta", "name/formatted", "Augusta Ada King", "displayName", "Augusta Ada",
				enterprise+"/division", "North", "roles/0/value", "member", own+"/role", "member")
		patch(`{"op":"Add","path":"phoneNumbers[type eq \"mobile\"].value","value":"1"},
			{"op":"Add","path":"roles[primary eq \"True\"].value","value":"guest"},
			{"op":"Replace","path":"userName","value":"ada@example.org"},
			{"op":"Replace","path":"emails[type eq \"work\"].value","value":"ada@example.org"}`).is(200).
			has("userName", "ada@example.org", "emails/0/value", "ada@example.org", "roles/0/value", "guest")
		patch(`{"op":"Remove","path":"`+enterprise+`:manager"},{"op":"Replace","path":"title","value":null}`).is(200).
			has(enterprise+"/manager", "", "title", "")
		// Renaming in parts keeps the rest.
		patch(`{"op":"Remove","path":"name.formatted"},{"op":"Remove","path":"displayName"}`).is(200).
			has("displayName", "Augusta Lovelace")
		for ops, kind := range map[string]string{
			`{"op":"Replace","path":"active","value":"maybe"}`:                                     "invalidValue",
			`{"op":"Replace","path":"active","value":{}}`:                                          "invalidValue",
			`{"op":"Replace","path":"nothing","value":"x"}`:                                        "invalidPath",
			`{"op":"Replace","path":"name.nothing","value":"x"}`:                                   "invalidPath",
			`{"op":"Replace","path":"emails[","value":"x"}`:                                        "invalidPath",
			`{"op":"Replace","path":"emails[type eq \"x\" or primary eq true].value","value":"x"}`: "",
			`{"op":"Replace","path":"emails[type co \"x\"].value","value":"x"}`:                    "noTarget",
			`{"op":"Replace","path":"id","value":"1"}`:                                             "mutability",
			`{"op":"Replace","path":"groups","value":[]}`:                                          "mutability",
			`{"op":"Replace","path":"title","value":["a","b"]}`:                                    "invalidValue",
			`{"op":"Replace","path":"title[value eq \"x\"]","value":"x"}`:                          "invalidPath",
			`{"op":"Move","path":"title","value":"x"}`:                                             "invalidSyntax",
			`{"op":"Remove"}`:                                              "noTarget",
			`{"op":"Replace","value":"x"}`:                                 "invalidValue",
			`{"op":"Replace","value":{"title":"x","TITLE":"y"}}`:           "invalidSyntax",
			`{"op":"Remove","path":"userName"}`:                            "invalidValue",
			`{"op":"Replace","path":"emails","value":[{"value":"x@y.z"}]}`: "invalidValue",
		} {
			if kind == "" { // matches, but is another address
				kind = "invalidValue"
			}
			patch(ops).fails(400, kind)
		}
		p.do("DELETE /Users/"+id, "").is(204)

		g := p.do("POST /Groups", `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:Group"],"externalId":"8aa1a0c0",
			"displayName":"Staff","meta":{"resourceType":"Group"}}`).is(201).get("id")
		alice, bob := fmt.Sprint(p.s.UserID("alice")), fmt.Sprint(p.s.UserID("bob"))
		members := func(op, list string) *response {
			t.Helper()
			return p.do("PATCH /Groups/"+g, `{`+patchOp+`"Operations":[{"op":"`+op+`","path":"members","value":`+list+`}]}`)
		}
		for range 2 {
			members("Add", `[{"value":"`+alice+`"},{"value":"`+bob+`"},{"value":"`+alice+`"}]`).is(200).
				has("members/0/value", alice, "members/1/value", bob, "members/2", "")
		}
		for range 2 {
			members("Remove", `[{"value":"`+alice+`"}]`).is(200).has("members/0/value", bob, "members/1", "")
		}
		list := p.do("GET /Groups?excludedAttributes=members&filter=externalId%20eq%20%228aa1a0c0%22", "").is(200).
			has("totalResults", "1", "Resources/0/id", g, "Resources/0/members", "")
		if !strings.Contains(list.text, "Staff") {
			t.Error(list.text)
		}
		p.do("GET /Groups/"+g+"?excludedAttributes=members", "").is(200).has("members", "", "displayName", "Staff")
		p.do("PATCH /Groups/"+g, `{`+patchOp+`"Operations":[{"op":"Replace","path":"displayName","value":"Crew"},
			{"op":"Remove","path":"members"}]}`).is(200).has("displayName", "Crew", "members", "")
		p.do("DELETE /Groups/"+g, "").is(204)
		p.do("DELETE /Groups/"+g, "").fails(404, "")
		p.do("POST /Groups", `{"displayName":"Crew"}`).is(201)
	})
}

// TestManaged refuses changes by hand of what an identity provider manages, until it has no token any more.
func TestManaged(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		alice := fmt.Sprint(p.s.UserID("alice"))
		p.do("PUT /Users/"+alice, `{"userName":"alice@example.com","displayName":"Alice","externalId":"a"}`).is(200)
		g := p.do("POST /Groups", `{"displayName":"Staff","members":[{"value":"`+alice+`"}]}`).is(201).get("id")
		olga := p.s.As("olga")
		const managed = "managed by Okta"
		olga.Do("GET /stoa/scim/users/"+alice).Is(200, `{"managed_by":"Okta","managed_fields":["full_name","email"],`+
			`"msg":"","result":"success"}`)
		olga.Do("PATCH /users/"+alice, "full_name", "Eve").Error(400, "BAD_REQUEST", managed)
		p.s.As("alice").Do("PATCH /settings", "full_name", "Eve").Error(400, "BAD_REQUEST", managed)
		herself := p.s.Actor("alice")
		err := p.s.Ports.Work.Do(ports.WithCaller(t.Context(), herself), func(ctx context.Context) error {
			return p.s.Ports.Credentials.ChangeEmail(ctx, herself, herself.User, "eve@example.com")
		})
		if err == nil || !strings.Contains(err.Error(), managed) {
			t.Errorf("the address was changed: %v", err)
		}
		olga.Do("PATCH /user_groups/"+g, "name", "Eve").Error(400, "BAD_REQUEST", managed)
		olga.Do("POST /user_groups/"+g+"/members", "add", kittest.JSON([]user.ID{p.s.UserID("bob")})).
			Error(400, "BAD_REQUEST", managed)
		olga.Do("POST /user_groups/"+g+"/deactivate").Error(400, "BAD_REQUEST", managed)
		// The role is nobody's business but the organization's, until the provider sets it.
		olga.Do("PATCH /users/"+alice, "role", "300").OK()
		p.do("PATCH /Users/"+alice, `{"Operations":[{"op":"replace","path":"roles","value":"guest"}]}`).is(403)
		olga.Do("PATCH /users/"+alice, "role", "400").OK()
		p.do("PATCH /Users/"+alice, `{"Operations":[{"op":"add","path":"roles","value":"member"}]}`).is(200)
		olga.Do("PATCH /users/"+alice, "role", "300").Error(400, "BAD_REQUEST", managed)
		// Settings, and the end of the account, are possible.
		p.s.As("alice").Do("PATCH /settings", "timezone", "Europe/Berlin").OK()
		olga.Do("DELETE /users/" + alice).OK()
		olga.Do("POST /users/" + alice + "/reactivate").OK()
		carol := p.do("POST /Users", `{"userName":"carol@example.com","displayName":"Carol"}`).is(201).get("id")
		olga.Do("DELETE /users/"+carol, "actions", `{"delete_profile":true}`).OK()
		// Others are as before.
		p.s.As("bob").Do("PATCH /settings", "full_name", "Robert").OK()
		id := fmt.Sprint(olga.Do("GET /stoa/scim/tokens").OK().Get("tokens.0.id"))
		olga.Do("DELETE /stoa/scim/tokens/" + id).OK()
		olga.Do("PATCH /users/"+alice, "full_name", "Alice A.").OK()
		olga.Do("PATCH /user_groups/"+g, "name", "Everybody").OK()
	})
}

// TestMembers keeps memberships of deactivated people, and ends them when the provider says so.
func TestMembers(t *testing.T) {
	p := start(t, "")
	alice, bob := fmt.Sprint(p.s.UserID("alice")), fmt.Sprint(p.s.UserID("bob"))
	g := p.do("POST /Groups", `{"displayName":"Staff","members":[{"value":"`+alice+`"},{"value":"`+bob+`"}]}`).is(201).
		get("id")
	active := func(who string, yes bool) {
		t.Helper()
		p.do("PATCH /Users/"+who, fmt.Sprintf(`{"Operations":[{"op":"replace","value":{"active":%t}}]}`, yes)).is(200)
	}
	active(alice, false)
	p.do("PUT /Groups/"+g, `{"displayName":"Crew","members":[{"value":"`+alice+`"},{"value":"`+bob+`"}]}`).is(200).
		has("members/0/value", alice)
	p.do("PATCH /Groups/"+g, `{"Operations":[{"op":"remove","path":"members[value eq \"`+alice+`\"]"}]}`).is(200).
		has("members/0/value", bob, "members/1", "")
	active(alice, true)
	if r := p.s.As("olga").Do("GET /user_groups/" + g + "/members").OK(); r.Body !=
		`{"result":"success","msg":"","members":[`+bob+`]}` {
		t.Error(r.Body)
	}
	// A group that permissions name stays.
	p.s.As("olga").Do("PATCH /realm", "can_create_groups", `{"new":`+g+`}`).OK()
	p.do("DELETE /Groups/"+g, "").fails(409, "")
	p.do("GET /Groups/"+g, "").is(200)
	p.do("POST /Groups", `{"displayName":"Crew"}`).fails(409, "uniqueness")
	p.do("POST /Groups", `{}`).fails(400, "invalidValue")
}
