package conformance_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stoachat/stoa/adapters/mail/mailtest"
	"github.com/stoachat/stoa/app/kittest"
	"github.com/stoachat/stoa/app/proof/internal/harness"
	"github.com/stoachat/stoa/domain/group"
)

// limited is a kind of thing of which a realm has a limited number.
type limited struct {
	what   string   // quota.Limit.What
	keys   []string // of the configuration: all are set to total
	total  int      // 0: shareTotal
	admins bool     // only administrators make it
	humans bool     // bots cannot make it
	make   func(s *kittest.Server, who string, n int) *kittest.Response
	// frees room for another one, as an administrator; nil: only time does
	remove func(s *kittest.Server) *kittest.Response
}

// shareTotal is the limit in the test.
const shareTotal = 30

// limitedKinds must contain every quota.Limit.
var limitedKinds = []limited{
	{
		what: "user groups", keys: []string{"groups.max_per_realm"},
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /user_groups/create", "name", fmt.Sprint("g", n), "description", "", "members", "[]")
		},
		remove: func(s *kittest.Server) *kittest.Response {
			return s.As("olga").Do(fmt.Sprintf("POST /user_groups/%d/deactivate", newestGroup(s)))
		},
	},
	{
		what: "channels", keys: []string{"channels.max_per_realm"},
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			if n%2 == 0 {
				return s.As(who).Do("POST /channels/create", "name", fmt.Sprint("c", n), "subscribers", "[]")
			}
			return s.As(who).Do("POST /users/me/subscriptions", "subscriptions", fmt.Sprintf(`[{"name":"c%d"}]`, n))
		},
		remove: func(s *kittest.Server) *kittest.Response {
			return s.As("adam").Do(fmt.Sprintf("DELETE /streams/%d", s.ChannelID("general")))
		},
	},
	{
		what: "custom emoji", keys: []string{"emoji.max_per_realm"},
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Upload(fmt.Sprintf("POST /realm/emoji/e%d", n), "e.png", kittest.PNG(4, 4))
		},
		remove: func(s *kittest.Server) *kittest.Response { return s.As("adam").Do("DELETE /realm/emoji/e1") },
	},
	{
		what: "invitations a day", keys: []string{"invites.daily_invitations"}, humans: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /invites", "invitee_emails", fmt.Sprintf("p%d@example.org", n), "stream_ids", "[]")
		},
	},
	{
		what: "pending invitations", keys: []string{"invites.max_pending"}, total: 2 * shareTotal, humans: true,
		make: func(s *kittest.Server, who string, _ int) *kittest.Response {
			return s.As(who).Do("POST /invites/multiuse")
		},
		remove: func(s *kittest.Server) *kittest.Response {
			return s.As("adam").Do("DELETE /invites/1")
		},
	},
	{
		what: "linkifiers", keys: []string{"linkifiers.max_per_realm"}, admins: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /realm/filters", "pattern", fmt.Sprintf("L%d-(?P<id>[0-9]+)", n), "url_template",
				"https://example.com/{id}")
		},
		remove: func(s *kittest.Server) *kittest.Response { return s.As("adam").Do("DELETE /realm/filters/1") },
	},
	{
		what: "playgrounds", keys: []string{"playgrounds.max_per_realm"}, admins: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /realm/playgrounds", "name", fmt.Sprint("p", n), "pygments_language", "Go", "url_template",
				"https://example.com/{code}")
		},
		remove: func(s *kittest.Server) *kittest.Response { return s.As("adam").Do("DELETE /realm/playgrounds/1") },
	},
	{
		what: "custom profile fields", keys: []string{"profilefields.max_per_realm"}, admins: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /realm/profile_fields", "name", fmt.Sprint("f", n), "field_type", "1")
		},
		remove: func(s *kittest.Server) *kittest.Response { return s.As("adam").Do("DELETE /realm/profile_fields/1") },
	},
	{
		what: "channel folders", admins: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /channel_folders/create", "name", fmt.Sprint("f", n), "description", "")
		},
		remove: func(s *kittest.Server) *kittest.Response {
			return s.As("adam").Do("PATCH /channel_folders/1", "is_archived", "true")
		},
	},
	{
		what: "default channel groups", admins: true,
		make: func(s *kittest.Server, who string, n int) *kittest.Response {
			return s.As(who).Do("POST /default_stream_groups/create", "group_name", fmt.Sprint("d", n), "description", "",
				"stream_names", "[]")
		},
		remove: func(s *kittest.Server) *kittest.Response { return s.As("adam").Do("DELETE /default_stream_groups/1") },
	},
}

// limitedElsewhere lists the limits per realm that other tests cover, or that no user can use up for others.
var limitedElsewhere = map[string]string{
	"invites.seats":                      "administrators decide who may join",
	"invites.daily_confirmations":        "shared per inviter (what: sign-ups by link a day) and per network source",
	"invites.daily_without_link":         "shared per network source",
	"invites.daily_per_address":          "counts the emails to one address",
	"invites.daily_per_source":           "counts per network source",
	"invites.daily_per_source_with_link": "counts per network source",
	"events.recent_entries":              "a cache",
}

// TestNoUserUsesUpALimit makes as many things of each kind as possible, and checks that every member leaves something
// for others, members for administrators, and administrators for owners; and that administrators can free some of it.
func TestNoUserUsesUpALimit(t *testing.T) {
	kittest.EachDatabase(t, func(t *testing.T, url string) {
		sections := map[string][]string{"accounts": {"password_memory_kib: 8", "password_passes: 1"},
			"realm": {"domain: 127.0.0.1"}, "invites": {"min_account_age: 0s"}}
		for _, k := range limitedKinds {
			for _, key := range k.keys {
				module, name, _ := strings.Cut(key, ".")
				sections[module] = append(sections[module], fmt.Sprintf("%s: %d", name, cmp.Or(k.total, shareTotal)))
			}
		}
		config := "http: {url: http://127.0.0.1:9991, rate_limits: {enabled: false}}\nmodules:\n"
		for module, keys := range sections {
			config += fmt.Sprintf("  %s: {%s}\n", module, strings.Join(keys, ", "))
		}
		s := start(t, kittest.Options{DatabaseURL: url, Config: config}, harness.AllModules()...)
		s.Ports.Mailer.(*mailtest.Quiet).On.Store(true)
		s.As("olga").Do("PATCH /realm", "create_multiuse_invite_group", fmt.Sprintf(`{"new":%d}`, group.Members)).OK()
		for _, k := range limitedKinds {
			t.Run(k.what, func(t *testing.T) { k.check(t, s) })
		}
	})
}

func (k limited) check(t *testing.T, s *kittest.Server) {
	n := 0
	// fill makes things until that is refused, and returns their number.
	fill := func(who string) (made int) {
		for {
			n++
			a := k.make(s, who, n)
			if a.Status != 200 {
				if !regexp.MustCompile(`[Tt]oo many`).MatchString(a.Body) {
					t.Fatalf("%s: %s", who, a.Body)
				}
				return made
			}
			if made++; made > 600 {
				t.Fatalf("%s made %d", who, made)
			}
		}
	}
	made := map[string]int{}
	all := []string{"alice", "bot", "bob", "adam", "olga"} // the bot is alice's
	if k.admins {
		all = []string{"adam", "olga"}
	}
	for _, who := range all {
		if who == "bot" && k.humans {
			continue
		}
		made[who] = fill(who)
		if (made[who] == 0) != (who == "bot") {
			t.Errorf("%s made %d", who, made[who])
		}
	}
	if again := fill("olga"); again != 0 {
		t.Errorf("%v, and %d more", made, again)
	}
	if k.remove == nil {
		return
	}
	k.remove(s).OK()
	if again := fill("olga"); again != 1 {
		t.Errorf("%d after one was removed", again)
	}
}

// TestEveryLimitIsShared checks that all limits per realm are in limitedKinds: those of the configuration, and those
// that the code declares.
func TestEveryLimitIsShared(t *testing.T) {
	readme, err := os.ReadFile("../../../configs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	covered := map[string]bool{}
	for key := range limitedElsewhere {
		covered[key] = true
	}
	for _, k := range limitedKinds {
		for _, key := range k.keys {
			covered[key] = true
		}
	}
	found := 0
	for section := range strings.SplitSeq(string(readme), "\n## ") {
		module := regexp.MustCompile(`^modules\.(\w+)`).FindStringSubmatch(section)
		if module == nil {
			continue
		}
		for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|.*\\bper realm\\b").FindAllStringSubmatch(section, -1) {
			if found++; !covered[module[1]+"."+row[1]] {
				t.Errorf("%s.%s limits a total: admit by a quota.Limit, and add it to limitedKinds", module[1], row[1])
			}
		}
	}
	if found < len(limitedKinds)-2 {
		t.Errorf("only %d keys found", found)
	}
	want := []string{"sign-ups by link a day"} // modules/invites tests it
	for _, k := range limitedKinds {
		want = append(want, k.what)
	}
	slices.Sort(want)
	if got := declaredLimits(t); !slices.Equal(got, want) {
		t.Errorf("limits in the code %q, in limitedKinds %q", got, want)
	}
}

// ownLimits matches the errors of limits that are not divided, because they apply to one user, request or message.
var ownLimits = regexp.MustCompile(`in one request|devices|topics have a visibility policy|navigation views|snippets|` +
	`alert words|drafts|users \(limit|choices|URL templates|domains`) // only owners add domains

// declaredLimits returns the names of all quota.Limit literals. It reports other errors about too many things that are
// not known to be about one user, request or message.
func declaredLimits(t *testing.T) (names []string) {
	t.Helper()
	for _, dir := range []string{"../../../domain", "../../../modules"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "ui") {
				return fs.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "domain/quota/") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					if name := limitName(n); name != "" && !slices.Contains(names, name) {
						names = append(names, name)
					}
				case *ast.BasicLit:
					if text, _ := strconv.Unquote(n.Value); n.Kind == token.STRING && strings.HasPrefix(text, "Too many") &&
						strings.Contains(text, "(limit: %d") && !ownLimits.MatchString(text) {
						t.Errorf("%s: %q: is this a limit per realm? Then admit by a quota.Limit, else add it to ownLimits", path, text)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}

// limitName returns the What of a quota.Limit literal, or "".
func limitName(n *ast.CompositeLit) string {
	if t, ok := n.Type.(*ast.SelectorExpr); !ok || fmt.Sprint(t.X, t.Sel) != "quota Limit" {
		return ""
	}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "What" {
				if lit, ok := kv.Value.(*ast.BasicLit); ok {
					name, _ := strconv.Unquote(lit.Value)
					return name
				}
			}
		}
	}
	return "a limit whose What is not a literal"
}

func newestGroup(s *kittest.Server) (newest int64) {
	var in struct {
		Groups []struct{ ID int64 } `json:"user_groups"`
	}
	s.As("olga").Do("GET /user_groups").JSON(&in)
	for _, g := range in.Groups {
		newest = max(newest, g.ID)
	}
	return newest
}
