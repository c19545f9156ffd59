package realm

import "strings"

// disposable lists the domains of well-known disposable email services; their subdomains are included. No list is
// complete: it only stops casual abuse.
var disposable = func() map[string]bool {
	all := map[string]bool{}
	for d := range strings.FieldsSeq(`
		10minutemail.com 10minutemail.net 20minutemail.com 33mail.com anonbox.net burnermail.io byom.de
		crazymailing.com deadaddress.com discard.email discardmail.com discardmail.de dispostable.com dropmail.me
		einrot.com emailondeck.com emailtemporanea.net fakeinbox.com fakemail.net fakemailgenerator.com getairmail.com
		getnada.com grr.la guerrillamail.biz guerrillamail.com guerrillamail.de guerrillamail.info guerrillamail.net
		guerrillamail.org guerrillamailblock.com harakirimail.com incognitomail.org inboxbear.com inboxkitten.com
		jetable.org mail-temp.com mail-temporaire.fr mailcatch.com maildrop.cc mailexpire.com mailinator.com
		mailinator.net mailmoat.com mailnesia.com mailnull.com mailsac.com mailtemp.info mailtothis.com mintemail.com
		moakt.com mohmal.com mytemp.email mytrashmail.com nada.email nowmymail.com pokemail.net receiveee.com
		sharklasers.com shieldemail.com sofort-mail.de spam4.me spambog.com spambog.de spambox.us spamex.com
		spamfree24.org spamgourmet.com spamherelots.com spamhole.com tempail.com tempemail.com tempemail.net
		tempinbox.com tempmail.com tempmail.net tempmailaddress.com tempmailo.com tempomail.fr temporarymail.com
		temporaryinbox.com temp-mail.io temp-mail.org tempr.email throwam.com throwawaymail.com trash-mail.com
		trash-mail.de trashmail.com trashmail.de trashmail.me trashmail.net trbvm.com wegwerfemail.de wegwerfmail.de
		wegwerfmail.net wegwerfmail.org yopmail.com yopmail.fr yopmail.net zetmail.com
	`) {
		all[d] = true
	}
	return all
}()

// Disposable reports whether a host, in lower case, belongs to a disposable email service.
func Disposable(host string) bool {
	for ; host != ""; _, host, _ = strings.Cut(host, ".") {
		if disposable[host] {
			return true
		}
	}
	return false
}
