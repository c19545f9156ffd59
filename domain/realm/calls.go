package realm

// Providers of video calls. Clients of other servers know all but the last; 0 turns video calls off.
const (
	JitsiCalls         = 1
	BigBlueButtonCalls = 4
	TemplateCalls      = 1000 // rooms at the URL template in the server's configuration
)

// OffersBigBlueButton asks whether the server has a BigBlueButton server, so that organizations can choose it. The
// answer is a bool.
type OffersBigBlueButton struct{}
