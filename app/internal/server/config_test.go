package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/app/internal/config"
	"github.com/stoachat/stoa/domain/event"
	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/domain/user"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/ports"
)

type in struct{ fx.In }

type shelf interface{ Blob() }

type disk struct{}

func (disk) Blob() {}

type realms struct{ ports.Realms }

type sender struct{ ports.Sender }

type authenticator struct{}

func (authenticator) Authenticate(context.Context, realm.ID, string, string) (user.Actor, error) {
	return user.Actor{}, nil
}

func (authenticator) ByKey(context.Context, realm.ID, string) (user.Actor, error) {
	return user.Actor{}, nil
}

func (authenticator) Used(user.Actor) {}

type draftsConfig struct {
	MaxPerUser int           `yaml:"max_per_user"`
	Keep       time.Duration `yaml:"keep"`
	Secret     kit.Secret    `yaml:"hook_secret"`
	Words      []string      `yaml:"words"`
	Deep       struct {
		Ratio float64 `yaml:"ratio"`
	} `yaml:"deep"`
}

// Validate rejects numbers below 1 and zero durations. It returns only the first error.
func (c draftsConfig) Validate() error {
	switch {
	case c.MaxPerUser < 1:
		return textError("max_per_user: must be at least 1")
	case c.Keep == 0:
		return textError("keep: must be longer than 0")
	}
	return nil
}

type textError string

func (e textError) Error() string { return string(e) }

type limits struct {
	MaxPerRealm int `yaml:"max_per_realm"`
}

type getReq struct {
	Other int `json:"else"`
}

type badRes struct {
	Words []string `json:"words"`
}

func ok[Req any](context.Context, kit.Actor, Req) (kit.None, error) { return kit.None{}, nil }

// catalog returns the modules of a program. All are valid except broken.
func catalog() []kit.Module {
	none := func(kit.None, in) (kit.Parts, error) { return kit.Parts{}, nil }
	return []kit.Module{
		kit.Provide("realm", "R.", kit.None{},
			func(kit.None, in) (kit.Parts, ports.Realms, error) { return kit.Parts{}, realms{}, nil }),
		kit.Provide("accounts", "A.", kit.None{}, func(kit.None, in) (kit.Parts, ports.Authenticator, error) {
			return kit.Parts{}, authenticator{}, nil
		}),
		kit.Define("drafts", "D.", draftsConfig{MaxPerUser: 3, Keep: time.Hour},
			func(draftsConfig, in) (kit.Parts, error) { return kit.Parts{}, nil }),
		kit.Define("linkifiers", "L.", limits{50}, func(limits, in) (kit.Parts, error) { return kit.Parts{}, nil }),
		kit.Provide("messages", "M.", kit.None{},
			func(kit.None, in) (kit.Parts, ports.Sender, error) { return kit.Parts{}, sender{}, nil }),
		kit.Provide("messages2", "M.", kit.None{},
			func(kit.None, in) (kit.Parts, ports.Sender, error) { return kit.Parts{}, sender{}, nil }),
		kit.Define("reports", "R.", kit.None{}, func(kit.None, struct {
			fx.In
			S ports.Sender
		},
		) (kit.Parts, error) {
			return kit.Parts{}, nil
		}),
		kit.Define("uploads", "U.", kit.None{}, func(kit.None, struct {
			fx.In
			B shelf
		},
		) (kit.Parts, error) {
			return kit.Parts{}, nil
		}),
		kit.Adapter("blob", "disk", "D.", limits{1}, func(limits, in) (shelf, error) { return disk{}, nil }),
		kit.Adapter("blob", "s3", "S.", limits{2}, func(limits, in) (shelf, error) { return disk{}, nil }),
		kit.Define("plain", "P.", kit.None{}, none),
		kit.Define("picky", "P.", kit.None{}, func(kit.None, in) (kit.Parts, error) {
			return kit.Parts{}, textError("modules.picky: needs http.url")
		}),
		kit.Define("a", "A.", kit.None{}, func(kit.None, in) (kit.Parts, error) {
			return kit.Parts{
				Endpoints: []kit.Endpoint{
					kit.GET("/x/:one", kit.Users, ok[struct {
						One int `json:"one"`
					}], "X."),
					kit.GET("/y/:z", kit.Access{}, ok[getReq], "Y."),
				},
				Register: []kit.Section{kit.Register("w",
					func(context.Context, kit.Actor, event.Client) (badRes, error) { return badRes{}, nil })},
				Events: []kit.AnyEvent{kit.Event[getReq]("thing", "add").Any()},
			}, nil
		}),
		kit.Define("b", "B.", kit.None{}, func(kit.None, in) (kit.Parts, error) {
			return kit.Parts{
				Endpoints: []kit.Endpoint{kit.GET("/x/:other", kit.Users, ok[getReq], "X.")},
				Register: []kit.Section{kit.Register("v",
					func(context.Context, kit.Actor, event.Client) (badRes, error) { return badRes{}, nil })},
				Events: []kit.AnyEvent{kit.Event[getReq]("thing", "add").Any()},
				Jobs:   []kit.Job{{Name: "j"}},
			}, nil
		}),
	}
}

const sound = "  realm: {}\n  accounts: {}\n"

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name, yaml string
		env        []string
		want       string
	}{
		{name: "all problems together", yaml: `data_dri: x
adapters:
  blob: { use: dsk }
modules:
` + sound + `  draft: {}
  drafts:
    max_per_users: 1
  linkifiers:
    max_per_realm: many
  reports: {}
  a: {}
`, want: `
adapters.blob.use: unknown adapter "dsk"; did you mean "disk"?
data_dri: unknown key; did you mean "data_dir"?
module a: GET /y/:z has no access rule; set kit.Users, kit.Admins, ... or kit.Anyone
module a: GET /y/:z: path parameter :z has no field in server.getReq
modules.draft: unknown module; did you mean "drafts"?
modules.drafts.max_per_users: unknown key; did you mean "max_per_user"?
modules.linkifiers.max_per_realm: want a whole number, got "many" (line 11)
modules.reports: needs the module messages or messages2; add modules: {messages: {}} or modules: {messages2: {}}, or remove it`},
		{name: "nothing at all", yaml: ``, want: `
modules: needs the module accounts; add modules: {accounts: {}}
modules: needs the module realm; add modules: {realm: {}}`},
		{name: "an adapter is missing", yaml: "modules:\n" + sound + "  uploads: {}\n", want: `
modules.uploads: needs an adapter for blob; add adapters: {blob: {use: disk}} or adapters: {blob: {use: s3}}, or remove it`},
		{name: "slots", yaml: "adapters:\n  blub: {use: disk}\n  blob: {max_per_realm: 1}\nmodules:\n" + sound, want: `
adapters.blob.use: is missing; name an adapter; known: disk, s3
adapters.blub: unknown slot; did you mean "blob"?`},
		{name: "two give the same", yaml: "modules:\n" + sound + "  messages: {}\n  messages2: {}\n", want: `
modules.messages2: provides the same port as modules.messages; remove one of them`},
		{name: "wrong types", yaml: `log: loud
database: {url: [1]}
http: {addr: nowhere, idle_timeout: 5}
modules:
` + sound + `  drafts: {keep: soon, words: one, hook_secret: 17, deep: {ratio: x}}
  linkifiers: 7
  plain: {any: 1}
`, want: `
database.url: want text, got a list (line 2)
http.addr: "nowhere" is not host:port, such as 127.0.0.1:9991 (line 3)
http.idle_timeout: want a duration such as 30s, got 5 (line 3)
log: want a section of keys, got "loud" (line 1)
modules.drafts.deep.ratio: want a number, got "x" (line 7)
modules.drafts.hook_secret: want text, got another value (line 7)
modules.drafts.keep: want a duration such as 30s, got "soon" (line 7)
modules.drafts.words: want a list, got "one" (line 7)
modules.linkifiers: want a section of keys, got 7 (line 8)
modules.plain.any: unknown key`},
		{name: "a value that is refused", yaml: "http: {addr: nowhere}\nlog:\n  level: chatty\nmodules:\n" + sound +
			"  drafts:\n    max_per_user: 0\n", want: `
http.addr: "nowhere" is not host:port, such as 127.0.0.1:9991 (line 1)
log.level: unknown level "chatty"; known: debug, error, info, warn (line 3)
modules.drafts.max_per_user: must be at least 1 (line 8)`},
		{name: "each field of a struct, next to a value of a wrong type",
			yaml: "secret: short\nlog: {level: chatty, format: xml, access: {format: text}}\nhttp: {idle_timeout: 5}\n" +
				"modules:\n" + sound + "  drafts: {max_per_user: 0, keep: 0s}\n", want: `
http.idle_timeout: want a duration such as 30s, got 5 (line 3)
log.access.format: unknown format "text"; known: combined, json (line 2)
log.format: unknown format "xml"; known: json, text (line 2)
log.level: unknown level "chatty"; known: debug, error, info, warn (line 2)
modules.drafts.keep: must be longer than 0 (line 7)
modules.drafts.max_per_user: must be at least 1 (line 7)
secret: is too short; set STOA_SECRET to at least 32 random characters (line 1)`},
		{name: "a module that refuses, among others", yaml: "modules:\n" + sound + "  picky: {}\n  oops: {}\n", want: `
modules.oops: unknown module; known: a, accounts, b, drafts, linkifiers, messages, messages2, picky, plain, realm, reports, uploads
modules.picky: needs http.url`},
		{name: "a module that refuses what has already been reported", yaml: "http: {url: nowhere}\nmodules:\n" + sound +
			"  picky: {}\n", want: `
http.url: "nowhere" is not a URL such as https://chat.example.com (line 1)`},
		{name: "a module that refuses alone", yaml: "modules:\n" + sound + "  picky: {}\n", want: `
modules.picky: needs http.url`},
		{name: "variables", yaml: "modules:\n" + sound + "  drafts: {}\n",
			env: []string{"STOA_HTTP_ADR=x", "STOA_MODULES_DRAFTS_MAX_PER_USER=few", "STOA_MODULES_LINKIFIERS_MAX_PER_REALM=1",
				"STOA_TEST_DATABASE=x", "PATH=x"},
			want: `
STOA_HTTP_ADR: unknown variable; did you mean "STOA_HTTP_ADDR"?
STOA_MODULES_DRAFTS_MAX_PER_USER: want a whole number, got "few"
STOA_MODULES_LINKIFIERS_MAX_PER_REALM: sets modules.linkifiers.max_per_realm, but the config does not name modules.linkifiers; add it or unset the variable`},
		{name: "not YAML", yaml: "modules: {\n", want: `
config: is not YAML: line 1: did not find expected node content`},
		{name: "twice", yaml: "modules: {}\nmodules: {}\n", want: `
config: is not YAML: line 2: mapping key "modules" already defined at line 1`},
		{name: "a list", yaml: "- modules\n", want: `
config: want a section of keys at the top`},
		{name: "contributions that collide", yaml: "modules:\n" + sound + "  a: {}\n  b: {}\n  oops: {}\n", want: `
module a: GET /y/:z has no access rule; set kit.Users, kit.Admins, ... or kit.Anyone
module a: GET /y/:z: path parameter :z has no field in server.getReq
module b: GET /x/:other answers the same requests as a route of module a; keep one
module b: GET /x/:other: path parameter :other has no field in server.getReq
module b: event thing/add is also in module a; keep one
module b: job "j" needs Every and Run
module b: register key words is also in module a; keep one
modules.oops: unknown module; known: a, accounts, b, drafts, linkifiers, messages, messages2, picky, plain, realm, reports, uploads`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Inspect(t.Context(), config.Sources{Text: c.yaml, Environ: c.env}, catalog()...)
			if err == nil {
				t.Fatal("no problem was reported")
			}
			if got, want := err.Error(), strings.TrimSpace(c.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestFileIsMissing(t *testing.T) {
	_, err := Read(config.Sources{File: filepath.Join(t.TempDir(), "no.yaml")}, catalog())
	if err == nil || !strings.Contains(err.Error(), "config: can't read the file") ||
		!strings.Contains(err.Error(), "--config") {
		t.Errorf("got %v", err)
	}
}

func TestLayers(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	text := "http: {addr: 127.0.0.1:1, read_buffer: 5000}\ndata_dir: one\nmodules:\n" + sound +
		"  drafts: {words: [a, b]}\n  linkifiers: {}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Read(config.Sources{
		File: file,
		Environ: []string{"STOA_HTTP_ADDR=127.0.0.1:2", "STOA_DATA_DIR=two", "STOA_MODULES_DRAFTS_KEEP=2h",
			"STOA_MODULES_DRAFTS_WORDS=x, y", "STOA_HTTP_RATE_LIMITS_ENABLED=false"},
		Set: map[string]string{"data_dir": "three"},
	}, catalog())
	if err != nil {
		t.Fatal(err)
	}
	set := cfg.Settings
	if set.HTTP.Addr != "127.0.0.1:2" || set.DataDir != "three" || set.HTTP.ReadBuffer != 5000 ||
		set.HTTP.RateLimits.Enabled || set.Log.Level != "info" {
		t.Errorf("got %+v", set)
	}
	var names []string
	for _, m := range cfg.Plan {
		names = append(names, m.Name)
		switch c := m.Config.(type) {
		case draftsConfig:
			if c.MaxPerUser != 3 || c.Keep != 2*time.Hour || strings.Join(c.Words, "+") != "x+y" {
				t.Errorf("drafts: %+v", c)
			}
		case limits:
			if c.MaxPerRealm != 50 {
				t.Errorf("linkifiers: %+v", c)
			}
		}
	}
	if got := strings.Join(names, " "); got != "accounts drafts linkifiers realm" {
		t.Errorf("modules: %s", got)
	}
}

func TestOrder(t *testing.T) {
	cfg, err := Read(config.Sources{Text: "adapters: {blob: {use: s3, max_per_realm: 9}}\n" +
		"modules: {uploads: {}, reports: {}, messages: {}, realm: {}, accounts: {}}"}, catalog())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range cfg.Plan {
		names = append(names, m.Name)
	}
	if got := strings.Join(names, " "); got != "s3 accounts messages realm reports uploads" {
		t.Errorf("got %s", got)
	}
	if got := cfg.Plan[0].Config.(limits).MaxPerRealm; got != 9 {
		t.Errorf("the adapter's configuration has %d", got)
	}
}

func TestPrintMasksSecrets(t *testing.T) {
	cfg, err := Read(config.Sources{Text: "database: {url: 'postgres://me:hunter2@db/x?sslpassword=hunter2'}\n" +
		"adapters: {blob: {use: s3}}\nmodules:\n" + sound +
		"  drafts: {hook_secret: hunter2}\n"}, catalog())
	if err != nil {
		t.Fatal(err)
	}
	text, err := cfg.Print()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "hunter2") {
		t.Errorf("a secret is printed:\n%s", text)
	}
	for _, want := range []string{"postgres://me:********@db/x", "hook_secret: '********'", "max_per_user: 3",
		"keep: 1h0m0s", "use: s3", "max_per_realm: 2"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing from\n%s", want, text)
		}
	}
}
