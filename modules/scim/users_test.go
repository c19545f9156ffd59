package scim_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stoachat/stoa/app/kittest"
)

const ada = `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","` + enterprise + `"],"userName":"ada@example.com",
	"externalId":"00u1","name":{"givenName":"Ada","familyName":"Lovelace"},"title":"Countess",
	"emails":[{"value":"ada@example.com","type":"work","primary":true}],"active":true,
	"` + enterprise + `":{"department":"Engines","manager":{"value":"26118915"}},
	"password":"of a client","locale":"en"}`

func TestUsers(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		made := p.do("POST /Users", ada).is(201).has("userName", "ada@example.com", "externalId", "00u1", "active", "true",
			"displayName", "Ada Lovelace", "name/givenName", "Ada", "emails/0/value", "ada@example.com", "title", "Countess",
			enterprise+"/department", "Engines", enterprise+"/manager/value", "26118915", own+"/role", "member",
			"password", "", "meta/resourceType", "User")
		id := made.get("id")
		if made.header.Get("Location") != made.get("meta/location") ||
			!strings.HasSuffix(made.get("meta/location"), "/scim/v2/Users/"+id) ||
			made.header.Get("ETag") == "" || made.header.Get("ETag") != made.get("meta/version") {
			t.Errorf("%v %s", made.header, made.text)
		}
		// The same again, and others with the same address or ID.
		p.do("POST /Users", ada).fails(409, "uniqueness")
		p.do("POST /Users", `{"userName":"ADA@example.com"}`).fails(409, "uniqueness")
		p.do("POST /Users", `{"userName":"other@example.com","externalId":"00u1"}`).fails(409, "uniqueness")
		p.do("POST /Users", `{"userName":"no address"}`).fails(400, "invalidValue")
		p.do("POST /Users", `{"name":{"formatted":"Nobody"}}`).fails(400, "invalidValue")
		p.do("POST /Users", `{"userName":"x@example.com","emails":[{"value":"y@example.com"}]}`).fails(400, "invalidValue")
		p.do("POST /Users", `[]`).fails(400, "invalidSyntax")
		p.do("POST /Users", `{`).fails(400, "invalidSyntax")

		// PUT without active keeps it, and takes the name of the attribute that is set first.
		p.do("PUT /Users/"+id, `{"userName":"ada.l@example.com","displayName":"Ada L.","title":null}`).is(200).
			has("userName", "ada.l@example.com", "displayName", "Ada L.", "active", "true", "externalId", "00u1", "title", "",
				enterprise+"/department", "")
		if name := p.s.As("olga").Do("GET /users/" + id).OK().Get("user.full_name"); name != "Ada L." {
			t.Errorf("%v", name)
		}
		p.do("PUT /Users/"+id, `{"userName":"alice@example.com"}`).fails(409, "uniqueness")
		p.do("PUT /Users/"+id, `{}`).fails(400, "invalidValue")

		// Deleting deactivates; the account can be found, and restored.
		p.do("DELETE /Users/"+id, "").is(204)
		p.do("GET /Users/"+id, "").fails(404, "")
		p.do("DELETE /Users/"+id, "").fails(404, "")
		if active := p.s.As("olga").Do("GET /users/" + id).OK().Get("user.is_active"); active != false {
			t.Errorf("%v", active)
		}
		p.do("POST /Users", strings.ReplaceAll(ada, "ada@example", "ada.l@example")).fails(409, "uniqueness")
		p.find(`userName eq "ada.l@example.com"`).has("totalResults", "1", "Resources/0/active", "false",
			"Resources/0/externalId", "")
		p.find(`externalId eq "00u1"`).has("totalResults", "0")
		p.do("PATCH /Users/"+id, `{"Operations":[{"op":"replace","value":{"active":true,"externalId":"00u1"}}]}`).is(200)
		p.do("GET /Users/"+id, "").is(200).has("active", "true", "externalId", "00u1")
	})
}

// find lists users with a filter.
func (p *provider) find(filter string, more ...string) *response {
	p.s.T.Helper()
	q := url.Values{"filter": {filter}}
	for i := 0; i+1 < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return p.do("GET /Users?"+q.Encode(), "").is(200)
}

// TestAdopt gives a deactivated account to a new person with its address.
func TestAdopt(t *testing.T) {
	p := start(t, "", "adopt: true")
	p.s.As("olga").Do("DELETE /users/" + fmt.Sprint(p.s.UserID("alice"))).OK()
	p.do("POST /Users", `{"userName":"alice@example.com","displayName":"Alice A.","externalId":"a"}`).is(201).
		has("id", fmt.Sprint(p.s.UserID("alice")), "active", "true", "displayName", "Alice A.")
	p.do("POST /Users", `{"userName":"bob@example.com"}`).fails(409, "uniqueness") // active
	p.s.As("olga").Do("DELETE /users/" + fmt.Sprint(p.s.UserID("adam"))).OK()
	p.do("POST /Users", `{"userName":"adam@example.com"}`).fails(409, "uniqueness") // an administrator
}

func TestList(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		// Okta's probe.
		all := p.do("GET /Users?startIndex=1&count=2", "").is(200).has("itemsPerPage", "2", "startIndex", "1")
		total := all.get("totalResults")
		last := p.do("GET /Users?startIndex="+total+"&count=50", "").is(200).has("itemsPerPage", "1", "totalResults", total)
		if last.get("Resources/0/id") == all.get("Resources/0/id") {
			t.Error("the pages are the same")
		}
		p.do("GET /Users?startIndex=-5&count=-1", "").is(200).has("itemsPerPage", "0", "totalResults", total)
		if r := p.do("GET /Users?startIndex=1000", "").is(200); !strings.Contains(r.text, `"Resources":[]`) {
			t.Error(r.text)
		}
		p.do("GET /Users?count=many", "").fails(400, "invalidValue")
		if strings.Contains(p.do("GET /Users?count=200", "").text, "-bot@") {
			t.Error("a bot is listed")
		}

		p.do("POST /Users", ada).is(201)
		for filter, want := range map[string]string{
			`userName eq "ADA@example.com"`:                                       "1",
			`userName eq "ada@example.com" and active eq true`:                    "1",
			`userName eq "ada@example.com" and active eq "False"`:                 "0",
			`userName eq "nobody@example.com"`:                                    "0",
			`externalId eq "00u1"`:                                                "1",
			`externalId eq "00U1"`:                                                "0",
			`emails[type eq "work" and value eq "ada@example.com"]`:               "1",
			`emails.value eq "ada@example.com"`:                                   "1",
			`name.familyName sw "love" or userName eq "alice@example.com"`:        "2",
			`not (userName pr)`:                                                   "0",
			enterprise + `:department eq "engines"`:                               "1",
			`urn:ietf:params:scim:schemas:core:2.0:User:title co "ount"`:          "1",
			own + `:role eq "owner"`:                                              "1",
			`unknown eq "x"`:                                                      "0",
			`displayName eq "Ada Lovelace" and (title pr and not (title eq "x"))`: "1",
			`meta.resourceType eq "User" and userName eq "ada@example.com"`:       "1",
		} {
			p.find(filter).has("totalResults", want)
		}
		for _, bad := range []string{`userName`, `userName eq`, `userName is "x"`, `userName eq "x`, `(userName pr`,
			`userName eq "x" and`, `emails[type eq "work"`, `userName eq "x" "y"`, `"x" eq userName`, `userName eq "\q"`} {
			p.do("GET /Users?filter="+url.QueryEscape(bad), "").fails(400, "invalidFilter")
		}

		p.do("POST /Users/.search", `{"filter":"userName eq \"ada@example.com\"","attributes":["title"],"count":5}`).is(200).
			has("totalResults", "1", "Resources/0/title", "Countess", "Resources/0/userName", "")
		p.do("POST /Users/.search", `[]`).fails(400, "invalidSyntax")
		p.do("POST /Users/.search", `{"count":"x"}`).fails(400, "invalidSyntax")
		p.do("GET /Users/.search", "").fails(405, "")
		p.do("POST /.search", `{}`).fails(501, "")

		one := p.find(`userName eq "ada@example.com"`, "attributes", "userName,name.givenName,"+enterprise+":department")
		one.has("Resources/0/userName", "ada@example.com", "Resources/0/name/givenName", "Ada",
			"Resources/0/name/familyName", "", "Resources/0/title", "", "Resources/0/active", "",
			"Resources/0/"+enterprise+"/department", "Engines", "Resources/0/"+enterprise+"/manager", "")
		if one.get("Resources/0/id") == "" || one.get("Resources/0/schemas") == "" {
			t.Error(one.text)
		}
		p.find(`userName eq "ada@example.com"`, "excludedAttributes", "emails,name.givenName,id").has(
			"Resources/0/emails", "", "Resources/0/name/givenName", "", "Resources/0/name/familyName", "Lovelace",
			"Resources/0/title", "Countess")
	})
}

// TestVersions refuses changes of a version that the client has not seen.
func TestVersions(t *testing.T) {
	p := start(t, "")
	made := p.do("POST /Users", ada).is(201)
	at, old := "/Users/"+made.get("id"), made.header.Get("ETag")
	p.do("GET "+at, "", "If-None-Match", old).is(304)
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"Lady"}]}`, "If-Match", old).is(200)
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"Miss"}]}`, "If-Match", old).fails(412, "")
	p.do("PUT "+at, `{"userName":"ada@example.com"}`, "If-Match", old).fails(412, "")
	p.do("DELETE "+at, "", "If-Match", old).fails(412, "")
	now := p.do("GET "+at, "", "If-None-Match", old).is(200).has("title", "Lady").header.Get("ETag")
	// A repeated request changes nothing.
	same := p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"Lady"}]}`, "If-Match", now).is(200)
	if same.header.Get("ETag") != now {
		t.Errorf("%s became %s", now, same.header.Get("ETag"))
	}
	p.do("DELETE "+at, "", "If-Match", `W/"x", `+now).is(204)
}

// TestEmailSource takes the address from emails, where user names are none.
func TestEmailSource(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database, "email_source: emails")
		id := p.do("POST /Users", `{"userName":"AdaL","emails":[{"value":"home@example.com","type":"home"},
			{"value":"ada@example.com","type":"work"}]}`).is(201).
			has("userName", "AdaL", "emails/0/value", "ada@example.com").get("id")
		p.find(`userName eq "adal"`).has("totalResults", "1", "Resources/0/id", id)
		p.do("POST /Users", `{"userName":"ADAL","emails":[{"value":"other@example.com"}]}`).fails(409, "uniqueness")
		p.do("POST /Users", `{"userName":"eve","emails":[{"value":"ada@example.com"}]}`).fails(409, "uniqueness")
		p.do("POST /Users", `{"userName":"eve"}`).fails(400, "invalidValue")
		p.do("PATCH /Users/"+id, `{"Operations":[{"op":"Replace","path":"emails[type eq \"work\"].value",
			"value":"ada@example.org"}]}`).is(200).has("emails/0/value", "ada@example.org", "userName", "AdaL")
		p.do("PUT /Users/"+id, `{"userName":"ada2"}`).is(200).has("emails/0/value", "ada@example.org", "userName", "ada2")
		p.find(`userName eq "adal"`).has("totalResults", "0")
		p.find(`userName eq "alice@example.com"`).has("totalResults", "1")
	})
}

// TestDiscovery describes what the server supports.
func TestDiscovery(t *testing.T) {
	p := start(t, "")
	p.do("GET /ServiceProviderConfig", "").is(200).has("patch/supported", "true", "filter/supported", "true",
		"bulk/supported", "false", "sort/supported", "false", "etag/supported", "true", "changePassword/supported", "false",
		"authenticationSchemes/0/type", "oauthbearertoken")
	p.do("GET /ResourceTypes", "").is(200).has("totalResults", "2", "itemsPerPage", "2")
	p.do("GET /ResourceTypes/User", "").is(200).has("endpoint", "/Users", "schemaExtensions/0/schema", enterprise)
	p.do("GET /Schemas", "").is(200).has("totalResults", "4")
	p.do("GET /Schemas/"+own, "").is(200).has("attributes/0/name", "role")
	for _, call := range []string{"GET /Schemas/none", "GET /other", "GET /", "GET /Users/1/2", "GET /Users/x",
		"GET /Users/0", "GET /Users/007", "GET /Users/99999999999999999999", "GET /Users/", "GET /ServiceProviderConfig/x"} {
		if call == "GET /Users/" {
			p.do(call, "").is(200)
			continue
		}
		p.do(call, "").fails(404, "")
	}
	p.do("POST /Schemas", "{}").fails(405, "")
	p.do("PUT /Users", "{}").fails(405, "")
	p.do("POST /Users/1", "{}").fails(405, "")
	p.do("GET /Me", "").fails(501, "")
	p.do("POST /Bulk", "{}").fails(501, "")
}
