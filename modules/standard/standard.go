// Package standard lists the modules and adapters that Stoa ships. Importing a module has no effect; the configuration
// selects the modules that run.
package standard

import (
	"github.com/stoachat/stoa/adapters/blob/disk"
	"github.com/stoachat/stoa/adapters/blob/s3"
	"github.com/stoachat/stoa/adapters/bus/nats"
	"github.com/stoachat/stoa/adapters/images"
	"github.com/stoachat/stoa/adapters/katex"
	"github.com/stoachat/stoa/adapters/mail/inbound"
	"github.com/stoachat/stoa/adapters/mail/log"
	"github.com/stoachat/stoa/adapters/mail/smtp"
	"github.com/stoachat/stoa/adapters/outbound/call"
	"github.com/stoachat/stoa/adapters/outbound/page"
	"github.com/stoachat/stoa/adapters/push/delivery"
	"github.com/stoachat/stoa/adapters/push/relay"
	"github.com/stoachat/stoa/adapters/push/webpush"
	"github.com/stoachat/stoa/modules/accounts"
	"github.com/stoachat/stoa/modules/alertwords"
	"github.com/stoachat/stoa/modules/apidocs"
	"github.com/stoachat/stoa/modules/audit"
	"github.com/stoachat/stoa/modules/avatars"
	"github.com/stoachat/stoa/modules/bots"
	"github.com/stoachat/stoa/modules/calls"
	"github.com/stoachat/stoa/modules/channels"
	"github.com/stoachat/stoa/modules/confirmations"
	"github.com/stoachat/stoa/modules/deactivationmail"
	"github.com/stoachat/stoa/modules/demo"
	"github.com/stoachat/stoa/modules/drafts"
	"github.com/stoachat/stoa/modules/emoji"
	"github.com/stoachat/stoa/modules/events"
	"github.com/stoachat/stoa/modules/exports"
	"github.com/stoachat/stoa/modules/groups"
	"github.com/stoachat/stoa/modules/headerlogin"
	"github.com/stoachat/stoa/modules/homepage"
	"github.com/stoachat/stoa/modules/identities"
	imagestore "github.com/stoachat/stoa/modules/images"
	"github.com/stoachat/stoa/modules/imports"
	"github.com/stoachat/stoa/modules/invites"
	"github.com/stoachat/stoa/modules/jwtlogin"
	"github.com/stoachat/stoa/modules/kit"
	"github.com/stoachat/stoa/modules/ldap"
	"github.com/stoachat/stoa/modules/linkifiers"
	"github.com/stoachat/stoa/modules/logos"
	"github.com/stoachat/stoa/modules/mail"
	"github.com/stoachat/stoa/modules/mailin"
	"github.com/stoachat/stoa/modules/mailnotify"
	"github.com/stoachat/stoa/modules/messages"
	"github.com/stoachat/stoa/modules/mutes"
	"github.com/stoachat/stoa/modules/navigation"
	"github.com/stoachat/stoa/modules/notifications"
	"github.com/stoachat/stoa/modules/oidc"
	"github.com/stoachat/stoa/modules/onboarding"
	"github.com/stoachat/stoa/modules/outgoing"
	"github.com/stoachat/stoa/modules/playgrounds"
	"github.com/stoachat/stoa/modules/presence"
	"github.com/stoachat/stoa/modules/previews"
	"github.com/stoachat/stoa/modules/profilefields"
	"github.com/stoachat/stoa/modules/push"
	"github.com/stoachat/stoa/modules/pushrelay"
	"github.com/stoachat/stoa/modules/realm"
	"github.com/stoachat/stoa/modules/reports"
	"github.com/stoachat/stoa/modules/saml"
	"github.com/stoachat/stoa/modules/scheduled"
	"github.com/stoachat/stoa/modules/scim"
	"github.com/stoachat/stoa/modules/sessions"
	"github.com/stoachat/stoa/modules/snippets"
	"github.com/stoachat/stoa/modules/status"
	"github.com/stoachat/stoa/modules/topics"
	"github.com/stoachat/stoa/modules/twofactor"
	"github.com/stoachat/stoa/modules/typing"
	"github.com/stoachat/stoa/modules/uploads"
	"github.com/stoachat/stoa/modules/wasm"
	"github.com/stoachat/stoa/modules/web"
	"github.com/stoachat/stoa/modules/webhooks"
	"github.com/stoachat/stoa/modules/welcomemails"
	"github.com/stoachat/stoa/modules/widgets"
	"github.com/stoachat/stoa/modules/zulipnames"
)

// Modules returns all modules and adapters.
func Modules() []kit.Module {
	return []kit.Module{
		realm.Module, accounts.Module, groups.Module, channels.Module, messages.Module, mutes.Module, events.Module,
		alertwords.Module, apidocs.Module, audit.Module, avatars.Module,
		bots.Module, calls.Module, confirmations.Module, drafts.Module, emoji.Module,
		deactivationmail.Module, homepage.Module, identities.Module, imports.Module, invites.Module,
		linkifiers.Module, logos.Module,
		mail.Module, mailin.Module, mailnotify.Module, navigation.Module, notifications.Module, onboarding.Module,
		outgoing.Module,
		imagestore.Module, playgrounds.Module, presence.Module, previews.Module, profilefields.Module, push.Module,
		reports.Module, scheduled.Module, sessions.Module, snippets.Module, status.Module, topics.Module,
		twofactor.Module, typing.Module,
		welcomemails.Module, exports.Module, uploads.Module, web.Module, webhooks.Module, widgets.Module,
		zulipnames.Module, demo.Module, pushrelay.Module, oidc.Module, saml.Module, headerlogin.Module, jwtlogin.Module,
		ldap.Module, scim.Module,
		wasm.Module,
		disk.Module, images.Module, katex.Module, log.Module, delivery.Module, nats.Module,
		relay.Module, s3.Module, inbound.Module, smtp.Module, call.Module, page.Module, webpush.Module,
	}
}
