package scim_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/scim"
	"github.com/stoachat/stoa/ports"
)

// TestTokens refuses everything but a valid token of the organization, in the same way.
func TestTokens(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		neutral := p.do("GET /Users", "", "Authorization", "").is(401)
		if neutral.header.Get("WWW-Authenticate") == "" {
			t.Error("no WWW-Authenticate")
		}
		p.s.As("olga").Do("POST /stoa/scim/tokens", "name", "Short", "expires_in_days", "1").OK()
		short := p.s.As("olga").Do("POST /stoa/scim/tokens", "name", "Short", "expires_in_days", "2").OK()
		brief := provider{p.s, short.String("token")}
		brief.do("GET /Users", "").is(200)
		for _, header := range []string{
			"Bearer", "Bearer ", "Bearer x", "Basic " + p.token, p.token, "Bearer " + p.token + "x", "Bearer " + p.token[:40],
			"Bearer " + strings.ToUpper(p.token), "Bearer stoa_scim_", "Bearer " + strings.Repeat("x", 10_000),
			"Bearer " + p.s.As("olga").Key(),
		} {
			if r := p.do("GET /Users", "", "Authorization", header); r.status != 401 || r.text != neutral.text {
				t.Errorf("%.60q: %d %s", header, r.status, r.text)
			}
		}
		var all struct {
			Tokens []struct {
				ID      int64  `json:"id"`
				Name    string `json:"name"`
				Used    *int64 `json:"last_used_at"`
				Expires *int64 `json:"expires_at"`
			} `json:"tokens"`
		}
		list := p.s.As("olga").Do("GET /stoa/scim/tokens").OK().JSON(&all)
		if len(all.Tokens) != 3 || all.Tokens[2].Used == nil || all.Tokens[1].Used != nil || all.Tokens[0].Expires != nil ||
			strings.Contains(list.Body, p.token) || strings.Contains(list.Body, "hash") {
			t.Errorf("%s", list.Body)
		}
		p.s.Clock.Advance(49 * time.Hour)
		brief.do("GET /Users", "").fails(401, "")
		p.do("GET /Users", "").is(200)
		p.s.As("adam").Do("GET /stoa/scim/tokens").Error(400, "UNAUTHORIZED_PRINCIPAL", "")
		p.s.As("olga").Do(fmt.Sprintf("DELETE /stoa/scim/tokens/%d", all.Tokens[0].ID)).OK()
		p.do("GET /Users", "").fails(401, "")
		p.s.As("olga").Do(fmt.Sprintf("DELETE /stoa/scim/tokens/%d", all.Tokens[0].ID)).
			Error(400, "BAD_REQUEST", "No such token")
		log := p.s.As("olga").Do("GET /audit_log").OK().Body
		for _, want := range []string{"scim.token_created", "scim.token_revoked"} {
			if !strings.Contains(log, want) || strings.Contains(log, p.token) {
				t.Errorf("%s is missing from %s", want, log)
			}
		}
	})
}

// TestOtherRealm refuses the token of another organization, and IDs of its users and groups.
func TestOtherRealm(t *testing.T) {
	s := kittest.StartWith(t, kittest.Options{Config: "http: {rate_limits: {enabled: false}}\n" +
		"modules: {realm: {domain: 127.0.0.1}, scim: {}}"}, append(others, scim.Module)...)
	p := provider{s, tokenOf(s, "Okta")}
	var foreign user.ID
	var key string
	s.Do(func(ctx context.Context) error {
		id, err := s.Ports.Realms.Create(ctx, "Cynics", "cynics")
		if err != nil {
			return err
		}
		by := user.Actor{Realm: id, System: true}
		if foreign, err = s.Ports.Accounts.Create(ctx, by, ports.NewUser{Email: "diogenes@example.com",
			FullName: "Diogenes", Role: user.Owner}); err != nil {
			return err
		}
		key, err = s.Ports.Accounts.IssueKey(ctx, by, foreign)
		return err
	})
	const host = "cynics.127.0.0.1"
	p.do("GET /Users", "", "Host", host).fails(401, "")
	p.do("GET /Users", "", "Host", "nowhere.127.0.0.1").fails(404, "")
	theirs := provider{s, s.WithKey("diogenes@example.com", key).At(host).
		Do("POST /stoa/scim/tokens", "name", "Theirs").OK().String("token")}
	theirs.do("GET /Users", "").fails(401, "")
	theirs.do("GET "+p.user("alice"), "", "Host", host).fails(404, "")
	at := fmt.Sprintf("/Users/%d", foreign)
	for _, call := range []string{"GET", "DELETE"} {
		p.do(call+" "+at, "").fails(404, "")
	}
	p.do("PUT "+at, `{"userName":"eve@example.com"}`).fails(404, "")
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","value":{"active":false}}]}`).fails(404, "")
	p.do("POST /Groups", fmt.Sprintf(`{"displayName":"G","members":[{"value":"%d"}]}`, foreign)).fails(400, "invalidValue")
	mine := p.do("POST /Groups", `{"displayName":"Ours"}`).is(201).get("id")
	theirs.do("GET /Groups/"+mine, "", "Host", host).fails(404, "")
	theirs.do("DELETE /Groups/"+mine, "", "Host", host).fails(404, "")
	// The same address and ID in another organization are no conflict.
	p.do("POST /Users", `{"userName":"new@example.com","externalId":"1"}`).is(201)
	theirs.do("POST /Users", `{"userName":"new@example.com","externalId":"1"}`, "Host", host).is(201)
}

// TestLastOwner keeps the only owner, whatever the configuration.
func TestLastOwner(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database, "max_role: owner")
		at := p.user("olga")
		p.do("PATCH "+at, `{"Operations":[{"op":"replace","value":{"active":false}}]}`).fails(403, "")
		p.do("PATCH "+at, `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`).fails(403, "")
		p.do("PATCH "+at, `{"Operations":[{"op":"remove","path":"roles"}]}`).fails(403, "")
		p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"`+own+`:role","value":"guest"}]}`).fails(403, "")
		p.do("PUT "+at, `{"userName":"olga@example.com","active":false}`).fails(403, "")
		p.do("PUT "+at, `{"userName":"olga@example.com","roles":[{"value":"member"}]}`).fails(403, "")
		p.do("DELETE "+at, "").fails(403, "")
		p.do("GET "+at, "").is(200).has("active", "true", own+"/role", "owner")
		// Of two owners, one may go.
		p.do("PATCH "+p.user("adam"), `{"Operations":[{"op":"add","path":"roles","value":[{"value":"owner"}]}]}`).is(200)
		p.do("PATCH "+at, `{"Operations":[{"op":"replace","value":{"active":false}}]}`).is(200).has("active", "false")
		p.do("DELETE "+p.user("adam"), "").fails(403, "")
	})
}

// TestRoleEscalation gives no role above the configured one, and does not touch accounts above it.
func TestRoleEscalation(t *testing.T) {
	p := start(t, "", "max_role: moderator")
	for _, body := range []string{
		`{"userName":"eve@example.com","roles":[{"value":"owner"}]}`,
		`{"userName":"eve@example.com","roles":[{"value":"member"},{"value":"ADMIN"}]}`,
		`{"userName":"eve@example.com","` + own + `":{"role":"admin"}}`,
	} {
		p.do("POST /Users", body).fails(403, "")
	}
	p.do("POST /Users", `{"userName":"eve@example.com","roles":[{"value":"root"}]}`).fails(400, "invalidValue")
	p.do("POST /Users", `{"userName":"mod@example.com","roles":["moderator"]}`).is(201).has(own+"/role", "moderator")
	role := func(name string) string { return `{"Operations":[{"op":"add","path":"roles","value":"` + name + `"}]}` }
	p.do("PATCH "+p.user("alice"), role("owner")).fails(403, "")
	p.do("PATCH "+p.user("alice"), role("admin")).fails(403, "")
	p.do("PATCH "+p.user("alice"), role("moderator")).is(200).has("roles/0/value", "moderator")
	var log struct {
		Entries []struct {
			Action  string `json:"action"`
			Outcome string `json:"outcome"`
		} `json:"entries"`
	}
	p.s.As("olga").Do("GET /audit_log", "action", "scim.refused").OK().JSON(&log)
	if len(log.Entries) != 5 || log.Entries[0].Action != "scim.refused" || log.Entries[0].Outcome != "refused" {
		t.Errorf("%+v", log)
	}
	// An administrator is neither demoted, nor taken over by a new address and a lost password.
	p.do("PATCH "+p.user("adam"), `{"Operations":[{"op":"remove","path":"roles"}]}`).fails(403, "")
	p.do("PATCH "+p.user("adam"), `{"Operations":[{"op":"replace","value":{"userName":"eve@example.com"}}]}`).fails(403, "")
	p.do("PUT "+p.user("adam"), `{"userName":"ADAM@example.com"}`).is(200) // the same address
	p.do("PATCH "+p.user("adam"), `{"Operations":[{"op":"replace","value":{"displayName":"Adam A.","active":false}}]}`).
		is(200).has("active", "false", "displayName", "Adam A.", "userName", "ADAM@example.com")
}

// TestBots are neither resources nor members.
func TestBots(t *testing.T) {
	p := start(t, "")
	id := kittest.JSON(p.s.UserID("bot"))
	p.do("GET /Users/"+id, "").fails(404, "")
	p.do("PATCH /Users/"+id, `{"Operations":[{"op":"replace","value":{"active":false}}]}`).fails(404, "")
	p.do("PUT /Users/"+id, `{"userName":"eve@example.com"}`).fails(404, "")
	p.do("DELETE /Users/"+id, "").fails(404, "")
	p.do("POST /Groups", `{"displayName":"G","members":[{"value":"`+id+`"}]}`).fails(400, "invalidValue")
	p.find(`id eq "`+id+`"`).has("totalResults", "0")
}

// TestHugeFilter refuses filters that are long, deep or wide.
func TestHugeFilter(t *testing.T) {
	p := start(t, "")
	for name, text := range map[string]string{
		"100 KiB":        `userName eq "` + strings.Repeat("x", 100<<10) + `"`,
		"5 KiB":          `userName eq "` + strings.Repeat("x", 5<<10) + `"`,
		"1,000 brackets": strings.Repeat("(", 1000) + "userName pr" + strings.Repeat(")", 1000),
		"1,000 nots":     strings.Repeat("not (", 500) + "userName pr" + strings.Repeat(")", 500),
		"wide":           strings.TrimSuffix(strings.Repeat("id pr or ", 300), " or "),
		"open":           strings.Repeat("(", 3000),
		"nested values":  strings.Repeat("emails[", 500),
	} {
		if r := p.do("GET /Users?filter="+url.QueryEscape(text), ""); name == "100 KiB" {
			r.is(431) // no server reads such an address
		} else {
			r.fails(400, "invalidFilter")
		}
		path := kittest.JSON("emails[" + text + "].value")
		p.do("PATCH "+p.user("alice"), `{"Operations":[{"op":"add","path":`+path+`,"value":"x"}]}`).fails(400, "invalidPath")
	}
}

// TestHugePatch refuses a request with too many operations, too many values, or too many bytes, and changes nothing.
func TestHugePatch(t *testing.T) {
	p := start(t, "")
	at := p.user("alice")
	op := `{"op":"replace","path":"title","value":"x"},`
	p.do("PATCH "+at, `{"Operations":[`+strings.Repeat(op, 10_000)[:len(op)*10_000-1]+`]}`).fails(400, "tooMany")
	p.do("PATCH "+at, `{"Operations":[]}`).fails(400, "invalidSyntax")
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"`+strings.Repeat("x", 2000)+`"}]}`).
		fails(400, "invalidValue")
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"`+strings.Repeat("x", 2<<20)+`"}]}`).is(413)
	p.do("PATCH "+at, strings.Repeat(`{"Operations":[`, 20_000)).fails(400, "invalidSyntax")
	p.do("PATCH "+at, `{"Operations":[{"op":"add","value":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`}]}`).
		fails(400, "invalidValue")
	// Of several operations, all count or none.
	p.do("PATCH "+at, `{"Operations":[{"op":"replace","path":"title","value":"Queen"},
		{"op":"replace","path":"userName","value":"bob@example.com"}]}`).fails(409, "uniqueness")
	p.do("GET "+at, "").is(200).has("title", "", "userName", "alice@example.com")
}

// TestMemberLoops accepts no groups as members, and so no loops.
func TestMemberLoops(t *testing.T) {
	p := start(t, "")
	id := p.do("POST /Groups", `{"displayName":"A"}`).is(201).get("id")
	for _, member := range []string{
		`{"value":"` + id + `","type":"Group"}`, `{"value":"` + id + `","$ref":"https://x/scim/v2/Groups/` + id + `"}`,
		`{"value":"` + id + `"}`, `{"value":"` + id + `","type":"group"}`,
	} {
		p.do("PATCH /Groups/"+id, `{"Operations":[{"op":"add","path":"members","value":[`+member+`]}]}`).
			fails(400, "invalidValue")
		p.do("PUT /Groups/"+id, `{"displayName":"A","members":[`+member+`]}`).fails(400, "invalidValue")
	}
	p.do("GET /Groups/"+id, "").is(200).has("members", "")
}

// TestRace lets one of two changes of the same version win.
func TestRace(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, database string) {
		p := start(t, database)
		made := p.do("POST /Users", ada).is(201)
		at, version := "/Users/"+made.get("id"), made.header.Get("ETag")
		for round := range 5 {
			var wait sync.WaitGroup
			results := make([]*response, 4)
			for i := range results {
				wait.Go(func() {
					results[i] = p.do("PUT "+at, fmt.Sprintf(`{"userName":"ada@example.com","title":"%d of %d"}`, i, round),
						"If-Match", version)
				})
			}
			wait.Wait()
			won := ""
			for _, r := range results {
				switch r.status {
				case http.StatusOK:
					if won != "" {
						t.Fatal("two changes of one version have won")
					}
					won, version = r.get("title"), r.header.Get("ETag")
				case http.StatusPreconditionFailed:
				default:
					t.Fatalf("%d %s", r.status, r.text)
				}
			}
			p.do("GET "+at, "").is(200).has("title", won)
		}
		// Two new people with one ID.
		var wait sync.WaitGroup
		results := make([]*response, 4)
		for i := range results {
			wait.Go(func() {
				results[i] = p.do("POST /Users", fmt.Sprintf(`{"userName":"new%d@example.com","externalId":"one"}`, i))
			})
		}
		wait.Wait()
		count := map[int]int{}
		for _, r := range results {
			count[r.status]++
		}
		if count[201] != 1 || count[409] != 3 {
			t.Errorf("%v", count)
		}
	})
}

// TestRate limits the requests of a token.
func TestRate(t *testing.T) {
	p := start(t, "")
	other := provider{p.s, tokenOf(p.s, "Entra")}
	for range 50 {
		p.do("GET /ServiceProviderConfig", "").is(200)
	}
	r := p.do("GET /ServiceProviderConfig", "")
	if r.fails(429, ""); r.header.Get("Retry-After") != "1" {
		t.Errorf("%v", r.header)
	}
	other.do("GET /ServiceProviderConfig", "").is(200)
	p.s.Clock.Advance(time.Second)
	p.do("GET /ServiceProviderConfig", "").is(200)
}

// TestForeignGroups: groups of the system cannot be read, changed or replaced, and neither can those of people.
func TestForeignGroups(t *testing.T) {
	p := start(t, "")
	id := kittest.JSON(p.s.As("olga").Do("POST /user_groups/create", "name", "Board", "description", "", "members",
		kittest.JSON([]user.ID{p.s.UserID("olga")})).OK().Int("group_id"))
	for _, id := range []string{id, "2", "7"} {
		p.do("GET /Groups/"+id, "").fails(404, "")
		p.do("PUT /Groups/"+id, `{"displayName":"Eve","members":[]}`).fails(404, "")
		p.do("PATCH /Groups/"+id, `{"Operations":[{"op":"remove","path":"members"}]}`).fails(404, "")
		p.do("DELETE /Groups/"+id, "").fails(404, "")
	}
	p.do("POST /Groups", `{"displayName":"board"}`).fails(409, "uniqueness")
	p.do("POST /Groups", `{"displayName":"role:owners"}`).is(409)
	p.do("GET /Groups", "").is(200).has("totalResults", "0")
}
