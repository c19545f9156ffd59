package user

// The local parts of the addresses of the server's own bots, in whose name it speaks. They are members of every realm,
// and their address is completed by the realm's mail domain.
const (
	NotificationBot = "notification-bot"
	WelcomeBot      = "welcome-bot"
	EmailGatewayBot = "emailgateway"
)
