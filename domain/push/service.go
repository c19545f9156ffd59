package push

// ServiceRegistration is what a push service needs to reach a device of a realm.
type ServiceRegistration struct {
	RealmUUID  string
	TokenID    string
	BouncerKey string // base64
	Sealed     string // base64
}

// ServiceNotification is one notification for one device. The push service sees nothing of its content.
type ServiceNotification struct {
	TokenID string
	Kind    TokenKind
	KeyID   uint32
	Data    string // base64 of the encrypted payload
	Quiet   bool   // low priority, and shows nothing by itself: it withdraws others
}

// Outcome is what became of a delivery to a device.
type Outcome int

// The outcomes.
const (
	Later     Outcome = iota // the service does not take it now
	Delivered                // the service has taken it
	Dead                     // the token does not lead to a device, and never will
	Refused                  // the service will never take this notification
)

// ServiceReport is what became of notifications.
type ServiceReport struct {
	FCM, APNs, Web int // delivered, by kind

	Dead  map[string]bool // IDs of tokens that the service doesn't know, or that no longer reach a device
	Later map[string]bool // IDs of tokens whose notifications may be delivered by a repeat

	Standing *Standing // of the realm; nil: the service does not say
}

// Standing is whether a push service delivers notifications for a realm.
type Standing struct {
	CanPush bool
	Ends    *int64 // when it will stop, in Unix seconds; nil: not foreseen
}

// Equal reports whether both say the same.
func (s Standing) Equal(other Standing) bool {
	return s.CanPush == other.CanPush && (s.Ends == nil) == (other.Ends == nil) && (s.Ends == nil || *s.Ends == *other.Ends)
}
