package kittest

import (
	"regexp"
	"slices"
	"strings"
)

// providers maps ports to the modules and adapters of Stoa that provide them. A test in modules/standard checks that
// the table is complete: kittest cannot import modules, since their tests import kittest.
var providers = map[string]string{
	"ports.Accounts":      "modules/accounts",
	"ports.Authenticator": "modules/accounts",
	"ports.Blobs":         "adapters/blob/disk",
	"ports.BotAccounts":   "modules/accounts",
	"ports.Channels":      "modules/channels",
	"ports.Credentials":   "modules/accounts",
	"ports.Demo":          "modules/demo",
	"ports.Dispatcher":    "modules/messages",
	"ports.Files":         "modules/uploads",
	"ports.Images":        "adapters/images",
	"ports.IncomingMail":  "adapters/mail/inbound",
	"ports.Mailer":        "adapters/mail/log",
	"ports.Math":          "adapters/katex",
	"ports.Messages":      "modules/messages",
	"ports.Outbox":        "modules/mail",
	"ports.Pages":         "adapters/outbound/page",
	"ports.Passwords":     "modules/accounts",
	"ports.ImageStore":    "modules/images",
	"ports.PushDelivery":  "adapters/push/delivery",
	"ports.PushRelay":     "modules/pushrelay",
	"ports.PushService":   "adapters/push/relay",
	"ports.ReadStates":    "modules/messages",
	"ports.RealmSettings": "modules/realm",
	"ports.RealmStates":   "modules/realm",
	"ports.Realms":        "modules/realm",
	"ports.Receivers":     "modules/messages",
	"ports.Rerenderer":    "modules/messages",
	"ports.Sender":        "modules/messages",
	"ports.Sessions":      "modules/sessions",
	"ports.SignIns":       "modules/sessions",
	"ports.LoginPage":     "modules/sessions",
	"ports.Spectators":    "modules/channels",
	"ports.Submessages":   "modules/messages",
	"ports.UserSettings":  "modules/accounts",
	"ports.UserUpdates":   "modules/accounts",
	"ports.WebClient":     "modules/web",
	"ports.WebPush":       "adapters/push/webpush",
	"ports.Webhooks":      "adapters/outbound/call",
}

// Provider returns the folder of the module or adapter that provides a port such as "ports.Images", or "" if there is
// none.
func Provider(port string) string { return providers[port] }

var missingPort = regexp.MustCompile(`needs (ports\.\w+), which no module in this program provides`)

// advice names the modules to pass to Start or Check to provide the ports mentioned in an error, or returns "" if there
// are none.
func advice(err error) string {
	if err == nil {
		return ""
	}
	var modules []string
	for _, found := range missingPort.FindAllStringSubmatch(err.Error(), -1) {
		if m := providers[found[1]]; m != "" && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	if len(modules) == 0 {
		return ""
	}
	slices.Sort(modules)
	return "\npass the Module of these packages as well: " + strings.Join(modules, ", ")
}
