package push

// ServiceRegistration registers a device with a push service.
type ServiceRegistration struct {
	RealmUUID  string
	TokenID    string
	BouncerKey string // base64
	Sealed     string // base64
}

// ServiceNotification is a notification for one device. The push service can't read its content.
type ServiceNotification struct {
	TokenID string
	Kind    TokenKind
	KeyID   uint32
	Data    string // base64 of the encrypted payload
	Quiet   bool   // low priority and invisible: it only withdraws others
}

// Outcome is the result of a delivery to a device.
type Outcome int

// The outcomes.
const (
	Later     Outcome = iota // temporarily refused by the service
	Delivered                // accepted by the service
	Dead                     // the token does not and will never reach a device
	Refused                  // the service will never accept this notification
)

// ServiceReport is the result of delivering notifications.
type ServiceReport struct {
	FCM, APNs, Web int // number delivered, by kind

	Dead  map[string]bool // IDs of tokens that are unknown to the service or no longer reach a device
	Later map[string]bool // IDs of tokens whose notifications may be delivered on a retry

	Standing *Standing // of the realm; nil: not reported
}

// Standing describes whether, and until when, a push service delivers notifications for a realm.
type Standing struct {
	CanPush bool
	Ends    *int64 // when it will stop, in Unix seconds; nil: no end known
}

// Equal reports whether s and other are equal.
func (s Standing) Equal(other Standing) bool {
	return s.CanPush == other.CanPush && (s.Ends == nil) == (other.Ends == nil) &&
		(s.Ends == nil || *s.Ends == *other.Ends)
}
