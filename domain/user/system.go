package user

// Local parts of the addresses of the server's own bots, which are members of every realm; the domain is the realm's
// mail domain.
const (
	NotificationBot = "notification-bot"
	WelcomeBot      = "welcome-bot"
	EmailGatewayBot = "emailgateway"
)
