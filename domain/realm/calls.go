package realm

// Providers of video calls. Clients of other servers know the first two; 0 turns video calls off.
const (
	JitsiCalls    = 1
	TemplateCalls = 1000 // rooms at the URL template in the server's configuration
)
