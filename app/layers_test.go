package app_test

import (
	"slices"
	"strings"
)

// layer is a folder with the packages and libraries that its packages may import.
type layer struct {
	of        string
	may       []string // packages of the repository, including their subpackages
	libraries []string // nil: only the standard library
	any       bool     // any library
}

// layers lists all layers. A package belongs to the first that contains it.
var layers = []layer{
	{of: "domain", may: []string{"domain"}},
	{of: "ports", may: []string{"domain", "ports"}},
	{of: "modules/kit", may: []string{"domain", "ports", "modules/kit"}, libraries: []string{"go.uber.org/fx"}},
	{of: "adapters", may: []string{"domain", "ports", "modules/kit"}, any: true},
	{of: "modules/standard", may: []string{"modules", "adapters/blob", "adapters/bus", "adapters/images", "adapters/katex",
		"adapters/mail", "adapters/outbound", "adapters/push"}},
	{of: "modules", may: []string{"domain", "ports", "modules/kit"}, libraries: []string{
		"go.uber.org/fx", "golang.org/x/crypto", "golang.org/x/text", "golang.org/x/sync", "github.com/RoaringBitmap/roaring",
		"github.com/google/uuid",
		"github.com/golang-jwt/jwt",                        // login by token
		"github.com/coreos/go-oidc", "golang.org/x/oauth2", // login by OpenID Connect
		"github.com/crewjam/saml", "github.com/russellhaering/goxmldsig", "github.com/beevik/etree", // login by SAML
		"github.com/go-ldap/ldap",                      // directories
		"rsc.io/qr",                                    // QR codes for authenticator apps
		"github.com/go-webauthn/webauthn",              // passkeys
		"github.com/blevesearch/snowballstem",          // stemming of words in a search
		"github.com/sergi/go-diff",                     // differences between versions of a message
		"go.yaml.in/yaml",                              // files of services that send webhooks
		"golang.org/x/net/html",                        // texts in HTML that these services send
		"github.com/tus/tusd", "golang.org/x/exp/slog", // resumable uploads; the logger of tusd
		"github.com/tetratelabs/wazero", // modules compiled to WebAssembly
	}},
	{of: "app/cmd", may: []string{"app", "modules/standard"}},
	{of: "app/proof", may: []string{"domain", "ports", "modules", "adapters", "app", "configs"}, any: true},
	{of: "app", may: []string{
		"domain", "ports", "modules/kit", "adapters/bunstore", "adapters/fiberhttp", "adapters/markdown", "adapters/emoji",
		"adapters/metrics", "adapters/traces", "app", "configs",
	}, any: true},
	{of: "configs", may: nil},
}

func imports(wrong report, files []file) {
	for _, f := range files {
		i := slices.IndexFunc(layers, func(l layer) bool { return f.in(l.of) })
		if i < 0 {
			wrong("%s: the package is in no layer; layers are listed in app/layers_test.go", f.path)
			continue
		}
		for path, pos := range f.imports() {
			if why := layers[i].forbids(f, path); why != "" {
				wrong("%s: %s may not import %s: %s", f.at(pos), f.dir(), path, why)
			}
		}
	}
}

// forbids returns why a file of the layer may not import a package, or "" if it may.
func (l layer) forbids(f file, path string) string {
	under := func(dirs []string, p string) bool {
		return slices.ContainsFunc(dirs, func(d string) bool { return p == d || strings.HasPrefix(p, d+"/") })
	}
	ours, isOurs := strings.CutPrefix(path, module)
	switch {
	case isOurs && f.test() && under([]string{"app/kittest", "modules", "domain", "ports", "adapters"}, ours),
		isOurs && f.test() && f.in("configs") && under([]string{"app", "configs"}, ours):
		return "" // tests may use the test kit and other modules
	case isOurs && under(l.may, ours), isOurs && f.in("modules") && own(f, ours):
		return ""
	case isOurs && f.in("adapters") && under(append(sharedByAdapters, group(f)), ours):
		return ""
	case isOurs && ours == "adapters/bunstore" && f.in("modules"):
		return "" // for the field DB of needs
	case isOurs && f.in("adapters") && under([]string{"adapters"}, ours):
		return "an adapter may import those of its own folder only"
	case isOurs:
		return "see the table of layers in app/layers_test.go"
	case !strings.Contains(strings.SplitN(path, "/", 2)[0], "."), l.any, f.test(), under(l.libraries, path):
		return ""
	case bun(path) && store(f):
		return ""
	}
	return "not one of the libraries of this layer"
}

// sharedByAdapters lists what all adapters may import: the check of addresses that every request to another server
// passes.
var sharedByAdapters = []string{"adapters/outbound/guard"}

// group returns the folder of an adapter with those that share its port: adapters/blob for adapters/blob/disk.
func group(f file) string {
	parts := strings.Split(f.dir(), "/")
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// own reports whether a package belongs to the same module as the file.
func own(f file, ours string) bool {
	name := strings.Split(f.dir(), "/")[1]
	return strings.HasPrefix(ours, "modules/"+name+"/internal/")
}

func bun(path string) bool { return strings.HasPrefix(path, "github.com/uptrace/bun") }

// store reports whether Bun may be used in a file.
func store(f file) bool {
	return strings.HasPrefix(f.base(), "store") || strings.HasSuffix(f.dir(), "/internal/store")
}
