package zulipnames

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.uber.org/fx"

	"github.com/stoachat/stoa/domain/realm"
	"github.com/stoachat/stoa/modules/kit"
)

// Module adds the names. Without it the server sends only service_... keys, and Zulip clients refuse to connect.
var Module = kit.Define(
	"zulipnames",
	"Adds the names that existing clients expect (zulip_version, ...) to the server's description.",
	Config{
		Clients: []string{"Zulip", "zulip-", "go-zulip"},
		Bindings: []string{
			"gozulipbot", "matterbridge", "hubot-zulip", "errbot", "opsdroid", "zulip_bots", "zulip_botserver",
		},
	},
	wire,
)

// Config is the configuration of the module. Both lists ignore case.
type Config struct {
	// prefixes of the User-Agents of clients that understand only zulip_... values
	Clients []string `yaml:"clients"`
	// names of libraries of such clients, anywhere in the User-Agent
	Bindings []string `yaml:"bindings"`
}

// Validate rejects entries that would match every client.
func (c Config) Validate() error {
	for _, name := range slices.Concat(c.Clients, c.Bindings) {
		if strings.TrimSpace(name) == "" {
			return errors.New("clients, bindings: want names that are not empty")
		}
	}
	return nil
}

type needs struct{ fx.In }

func wire(cfg Config, _ needs) (kit.Parts, error) {
	return kit.Parts{Answers: []kit.Answer{kit.Answers(aliases), kit.Answers(cfg.matches)}}, nil
}

// matches answers realm.KnowsOnlyZulipNames.
func (c Config) matches(_ context.Context, q realm.KnowsOnlyZulipNames) (bool, error) {
	agent := strings.ToLower(q.Agent)
	begins := func(name string) bool { return strings.HasPrefix(agent, strings.ToLower(name)) }
	contains := func(name string) bool { return strings.Contains(agent, strings.ToLower(name)) }
	return slices.ContainsFunc(c.Clients, begins) || slices.ContainsFunc(c.Bindings, contains), nil
}

// aliases answers realm.KeyAliases with the names that existing clients expect.
func aliases(_ context.Context, q realm.KeyAliases) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range q.Keys {
		if other := zulipKey(key); other != "" {
			if _, exists := q.Keys[other]; !exists {
				out[other] = value
			}
		}
	}
	return out, nil
}

// zulipKey returns the name that existing clients expect for a key, or "" if it is the key itself.
func zulipKey(key string) string {
	if rest, ok := strings.CutPrefix(key, "service_"); ok {
		return "zulip_" + rest
	}
	if rest, ok := strings.CutPrefix(key, "realm_service_"); ok {
		return "realm_zulip_" + rest
	}
	return ""
}
