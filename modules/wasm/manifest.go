package wasm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/stoachat/stoa/domain/errs"
	"github.com/stoachat/stoa/modules/kit"
)

// abi is the version of the interface between server and guests: of the functions in host.go, of request and reply, and
// of the arguments and results of acts.
const abi = 1

// manifest is the file manifest.json of a package.
type manifest struct {
	ABI         int          `json:"abi"`
	Name        string       `json:"name"`
	Title       string       `json:"title"` // the name of its bot
	Version     string       `json:"version"`
	Description string       `json:"description,omitempty"`
	Permissions []permission `json:"permissions,omitempty"`
	Hosts       []string     `json:"hosts,omitempty"` // that it may call
	Routes      []route      `json:"routes,omitempty"`
	Hooks       []string     `json:"hooks,omitempty"`
	Every       string       `json:"every,omitempty"` // interval of its job; "": none
	Script      string       `json:"script,omitempty"`
	Style       string       `json:"style,omitempty"`
}

// route is a path below /api/v1/modules/NAME. One that ends with /* matches all paths below.
type route struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Access string `json:"access"`
}

// permission is something that a guest can do only if its manifest asks for it.
type permission string

const (
	sendMessages permission = "send_messages"
	react        permission = "react"
	readMessages permission = "read_messages"
	readUsers    permission = "users"
	storeValues  permission = "storage"
	callHosts    permission = "http"
	extendClient permission = "web"
)

// permissions describes each permission to the operator who installs a module.
var permissions = map[permission]string{
	sendMessages: "send messages as its bot",
	react:        "react to messages as its bot",
	readMessages: "read messages that its bot receives: in channels to which it is subscribed, and to it",
	readUsers:    "list users with names and roles",
	storeValues:  "store data",
	callHosts:    "call servers",
	extendClient: "RUN CODE IN THE BROWSERS OF ALL USERS, WITH THEIR RIGHTS",
}

// accesses lists who may be admitted to a route.
var accesses = map[string]kit.Access{
	"users": kit.Users, "members": kit.Members, "moderators": kit.Moderators, "admins": kit.Admins, "owners": kit.Owners,
}

// onMessage is the hook that is called for messages.
const onMessage = "message"

const (
	maxManifest = 64 << 10 // bytes
	maxRoutes   = 100
	maxHosts    = 20
	shortest    = time.Minute // interval of a job
)

var (
	validName    = regexp.MustCompile(`^[a-z][a-z0-9-]{1,29}$`)
	validTitle   = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} .'-]{0,39}$`)
	validVersion = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$`)
	validPath    = regexp.MustCompile(`^(/[a-z0-9_-]+)+(/\*)?$`)
	validHost    = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
)

// readManifest reads and checks a manifest. Errors: BadRequest.
func readManifest(text []byte) (*manifest, error) {
	var m manifest
	if len(text) > maxManifest {
		return nil, errs.Bad("manifest.json is larger than %d KiB", maxManifest>>10)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, errs.Bad("manifest.json: %v", err)
	}
	if err := m.check(); err != nil {
		return nil, errs.Bad("manifest.json: %v", err)
	}
	return &m, nil
}

func (m *manifest) check() error {
	switch {
	case m.ABI != abi:
		return fmt.Errorf("abi: this server has %d, want %d", abi, m.ABI)
	case !validName.MatchString(m.Name):
		return fmt.Errorf("name: want %s", validName)
	case !validTitle.MatchString(m.Title):
		return fmt.Errorf("title: want %s", validTitle)
	case !validVersion.MatchString(m.Version):
		return fmt.Errorf("version: want %s", validVersion)
	case len(m.Routes) > maxRoutes || len(m.Hosts) > maxHosts:
		return fmt.Errorf("at most %d routes and %d hosts", maxRoutes, maxHosts)
	case (m.Script != "") != m.may(extendClient) || m.Style != "" && m.Script == "":
		return fmt.Errorf("script: want one if and only if permissions contains %q", extendClient)
	case (len(m.Hosts) > 0) != m.may(callHosts):
		return fmt.Errorf("hosts: want some if and only if permissions contains %q", callHosts)
	case len(m.Hooks) > 1 || len(m.Hooks) == 1 && m.Hooks[0] != onMessage:
		return fmt.Errorf("hooks: the only one is %q", onMessage)
	case len(m.Hooks) > 0 && !m.may(readMessages):
		return fmt.Errorf("hooks: %q needs the permission %q", onMessage, readMessages)
	}
	for i, p := range m.Permissions {
		if permissions[p] == "" || slices.Contains(m.Permissions[:i], p) {
			return fmt.Errorf("permissions: %q is unknown or repeated; there are %v", p, slices.Sorted(maps.Keys(permissions)))
		}
	}
	for _, h := range m.Hosts {
		if !validHost.MatchString(h) {
			return fmt.Errorf("hosts: want names such as api.example.com, not %q", h)
		}
	}
	for i, r := range m.Routes {
		_, known := accesses[r.Access]
		repeated := slices.ContainsFunc(m.Routes[:i], func(o route) bool { return o.Method == r.Method && o.Path == r.Path })
		if !known || repeated || !slices.Contains(methods, r.Method) || !validPath.MatchString(r.Path) {
			return fmt.Errorf("routes: want one of %v, a path such as /top or /top/*, each pair once, and as access one of %v",
				methods, slices.Sorted(maps.Keys(accesses)))
		}
	}
	if m.Every != "" {
		if every, err := time.ParseDuration(m.Every); err != nil || every < shortest {
			return fmt.Errorf("every: want a duration such as 1h, at least %v", shortest)
		}
	}
	return nil
}

func (m *manifest) may(p permission) bool { return slices.Contains(m.Permissions, p) }

func (m *manifest) hears() bool { return slices.Contains(m.Hooks, onMessage) }

// every returns the interval of the job; 0: there is none.
func (m *manifest) every() time.Duration {
	d, _ := time.ParseDuration(m.Every) // checked
	return d
}

// route returns who may call a path, and false if there is no such route.
func (m *manifest) route(method, path string) (kit.Access, bool) {
	for _, r := range m.Routes {
		below, all := strings.CutSuffix(r.Path, "*")
		if r.Method == method && (r.Path == path || all && strings.HasPrefix(path, below)) {
			return accesses[r.Access], true
		}
	}
	return kit.Access{}, false
}

// allowed describes the permissions.
func (m *manifest) allowed() string {
	if len(m.Permissions) == 0 {
		return "nothing"
	}
	var all []string
	for _, p := range m.Permissions {
		text := permissions[p]
		if p == callHosts {
			text += " (" + strings.Join(m.Hosts, ", ") + ")"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}
