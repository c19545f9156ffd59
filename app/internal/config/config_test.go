package config

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stoachat/stoa/modules/kit"
)

func TestMasked(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"postgres://me:pw@host/db", "postgres://me:********@host/db"},
		{"postgres://me@host/db", "postgres://me@host/db"},
		{"postgres://host/db?user=me&password=pw&x=1", "postgres://host/db?user=me&password=********&x=1"},
		{"cannot reach postgres://me:p%40w@host:5432/db: refused",
			"cannot reach postgres://me:********@host:5432/db: refused"},
		{"can't open postgres://me:p/w?@x@host/db: invalid port", "can't open postgres://me:********@host/db: invalid port"},
		{"can't open postgres://me:p w@host/db: invalid", "can't open postgres://me:********@host/db: invalid"},
		{`host=db password=p\ w user=me`, `host=db password=******** user=me`},
		{"sqlite:/a:b@c.db", "sqlite:/a:b@c.db"},
		{"https://example.com:8080/x", "https://example.com:8080/x"},
	} {
		if got := Masked(c.in); got != c.want {
			t.Errorf("%q is formatted as %q, want %q", c.in, got, c.want)
		}
	}
}

func TestPrint(t *testing.T) {
	type sub struct {
		APIKey  kit.Secret            `yaml:"api_key"`
		Hooks   []kit.Secret          `yaml:"hooks"`
		Named   map[string]kit.Secret `yaml:"named"`
		Name    string                `yaml:"name"`
		KeyFile string                `yaml:"key_file"`
		MaxKeys int                   `yaml:"max_keys"`
		Empty   kit.Secret            `yaml:"password"`
	}
	cfg := sub{"k1", []kit.Secret{"k2", "k3"}, map[string]kit.Secret{"a": "k5"}, "ann", "/etc/key.pem", 7, ""}
	section, err := Section(cfg)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Print(map[string]any{"sub": cfg, "section": section, "url": "amqp://u:k4@h"})
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"k1", "k2", "k3", "k4", "k5"} {
		if strings.Contains(got, hidden) {
			t.Errorf("%s was printed in\n%s", hidden, got)
		}
	}
	for _, shown := range []string{"name: ann", "max_keys: 7", "key_file: /etc/key.pem", "amqp://u:********@h", `password: ""`} {
		if !strings.Contains(got, shown) {
			t.Errorf("%s is missing from\n%s", shown, got)
		}
	}
}

func TestFormerNames(t *testing.T) {
	type section struct {
		Keep string `yaml:"keep"`
	}
	leaves := []Leaf{{"modules.new.keep", reflect.TypeFor[string]()}}
	renamed := map[string]string{"modules.old": "modules.new"}
	for _, c := range []struct {
		text     string
		environ  []string
		keep     string
		warnings string
		problems string
	}{
		{"modules: {new: {keep: a}}", nil, "a", "", ""},
		{"modules: {old: {keep: a}}", nil, "a", "modules.old is now modules.new; rename it in the configuration", ""},
		{"modules: {new: {}}", []string{"STOA_MODULES_OLD_KEEP=b"}, "b",
			"STOA_MODULES_OLD_KEEP is now STOA_MODULES_NEW_KEEP; set that instead", ""},
		{"modules: {new: {}, old: {}}", nil, "", "",
			"modules.old: is now modules.new, which is there too; remove one of them"},
		{"modules: {new: {}}", []string{"STOA_MODULES_NEW_KEEP=a", "STOA_MODULES_OLD_KEEP=b"}, "a", "",
			"STOA_MODULES_OLD_KEEP: is now STOA_MODULES_NEW_KEEP, which is set too; unset one of them"},
	} {
		raw, ps := Load(Sources{Text: c.text, Environ: c.environ, Renamed: renamed}, leaves)
		var got section
		more := raw.Decode("modules.new", &got)
		if warnings := strings.Join(raw.Warnings, "; "); got.Keep != c.keep || warnings != c.warnings ||
			append(ps, more...).Error() != c.problems {
			t.Errorf("%s %v: %q, warnings %q, problems %q", c.text, c.environ, got.Keep, warnings, append(ps, more...).Error())
		}
	}
}

func TestMovedKeys(t *testing.T) {
	type section struct {
		Keep string `yaml:"keep"`
	}
	leaves := []Leaf{{"modules.new.keep", reflect.TypeFor[string]()}}
	moved := map[string]string{"modules.old.new_keep": "modules.new.keep"}
	const warning = "modules.old.new_keep is now modules.new.keep; move it in the configuration"
	for _, c := range []struct {
		text     string
		environ  []string
		keep     string
		warnings string
		problems string
	}{
		{"modules: {old: {new_keep: a}}", nil, "a", warning, ""},
		{"modules: {old: {new_keep: a}, new: true}", nil, "a", warning, ""},
		{"modules: {old: {new_keep: a}, new: {other: b}}", nil, "a", warning, "modules.new.other: unknown key; known: keep"},
		{"modules: {old: {}}", []string{"STOA_MODULES_OLD_NEW_KEEP=b"}, "b",
			"STOA_MODULES_OLD_NEW_KEEP is now STOA_MODULES_NEW_KEEP; set that instead", ""},
		{"modules: {old: {new_keep: a}, new: {keep: b}}", nil, "b", "",
			"modules.old.new_keep: is now modules.new.keep, which is there too; remove one of them"},
		{"modules: {old: {new_keep: a}, new: false}", nil, "", "",
			"modules.old.new_keep: is now modules.new.keep, but modules.new is left out; remove one of them"},
	} {
		raw, ps := Load(Sources{Text: c.text, Environ: c.environ, Moved: moved}, leaves)
		var got section
		more := raw.Decode("modules.new", &got)
		if warnings := strings.Join(raw.Warnings, "; "); got.Keep != c.keep || warnings != c.warnings ||
			append(ps, more...).Error() != c.problems {
			t.Errorf("%s %v: %q, warnings %q, problems %q", c.text, c.environ, got.Keep, warnings, append(ps, more...).Error())
		}
	}
}

func TestALargeFileIsRefused(t *testing.T) {
	_, ps := Load(Sources{Text: strings.Repeat("# x\n", maxFile/4+1)}, nil)
	if len(ps) != 1 || !strings.Contains(ps.Error(), "larger than 1 MiB") {
		t.Errorf("got %v", ps)
	}
}

func TestPresets(t *testing.T) {
	raw, ps := Load(Sources{Text: "modules: {a: {}, b: {n: 1}}", Presets: []Preset{
		{"modules.a", map[string]any{"modules.a.n": 7, "modules.b.n": 7, "modules.c.n": 7}},
		{"modules.c", map[string]any{"modules.b.m": 7}},
	}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	if got, want := fmt.Sprint(raw.k.Raw()), "map[modules:map[a:map[n:7] b:map[n:1]]]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAdd(t *testing.T) {
	raw, ps := Load(Sources{Text: "modules: {a: {n: 1}}", Add: []string{"modules.b", "modules.a"}}, nil)
	if len(ps) > 0 {
		t.Fatal(ps)
	}
	names, _ := raw.Names("modules")
	if strings.Join(names, " ") != "a b" {
		t.Errorf("got %v", names)
	}
	if v, _ := raw.get("modules.a.n"); v != 1 {
		t.Errorf("a lost its keys: %v", v)
	}
}

func TestBase(t *testing.T) {
	const base = "modules: {a: {n: 1}, b: {}}\nadapters: {x: {use: p}, y: {use: q}}"
	for _, c := range []struct{ text, want, problems string }{
		{"", "map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[a:map[n:1] b:map[]]]", ""},
		{"adapters: {x: {use: r}}", "map[adapters:map[x:map[use:r] y:map[use:q]] modules:map[a:map[n:1] b:map[]]]", ""},
		{"modules: {c: {}}", "map[modules:map[c:map[]]]", ""},
		{"modules: {}", "map[modules:map[]]", ""},
		{"modules: {standard: , a: {n: 2}, c: {}}\nadapters: {x: {use: r}}",
			"map[adapters:map[x:map[use:r] y:map[use:q]] modules:map[a:map[n:2] b:map[] c:map[]]]", ""},
		{"modules: {standard: {}, old: {n: 3}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[a:map[n:3] b:map[]]]", ""},
		{"modules: {standard: {n: 1}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[a:map[n:1] b:map[]]]",
			"modules.standard.n: unknown key; standard stands for the standard modules, " +
				"and its only keys are without and replace (line 1)"},
		{"modules: {standard: {without: [b, old]}, c: true}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[c:map[]]]", ""},
		{"modules: {standard: {replace: {old: c, b: d}}, c: {n: 4}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[c:map[n:4] d:map[]]]", ""},
		{"modules: {standard: {replace: {a: standard}}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[a:map[n:1] b:map[]]]",
			"modules.standard.replace.a: want the name of a module, got \"standard\" (line 1)"},
		{"modules: {standard: {replace: {a: b, b: 1}, without: b}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[b:map[]]]",
			"modules.standard.replace.a: b is a standard module, which runs anyway; name a module of your own (line 1)\n" +
				"modules.standard.replace.b: want the name of a module, got 1 (line 1)\n" +
				"modules.standard.without: want a list of modules, got \"b\" (line 1)"},
		{"modules: {standard: {replace: [a]}}",
			"map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[a:map[n:1] b:map[]]]",
			"modules.standard.replace: want a section such as {drafts: mydrafts}, got a list (line 1)"},
		{"modules: {a: false}", "map[adapters:map[x:map[use:p] y:map[use:q]] modules:map[b:map[]]]", ""},
		{"modules: {a: false, c: {}}", "map[modules:map[c:map[]]]", ""},
		{"modules: {standard: {without: [b, 1]}, b: {}, c: }", "map[adapters:map[x:map[use:p] y:map[use:q]] " +
			"modules:map[a:map[n:1] b:map[] c:<nil>]]",
			"modules.c: has no value; write c: {} to run the module with its defaults, or c: false to leave it out (line 1)\n" +
				"modules.standard.without.0: leaves out b, but modules.b is there, too; remove one of them\n" +
				"modules.standard.without.1: want the name of a module, got 1 (line 1)"},
	} {
		raw, ps := Load(Sources{Text: c.text, Base: base, Renamed: map[string]string{"modules.old": "modules.a"}}, nil)
		if got := fmt.Sprint(raw.k.Raw()); got != c.want || ps.Error() != c.problems {
			t.Errorf("%s: got %s, want %s; problems %q", c.text, got, c.want, ps)
		}
	}
}
