package importing

// Reasons why files that are downloaded are not imported.
const (
	NotAnswered = "could not be downloaded"
	ForeignHost = "is not on the hosts of its program"
	TooLarge    = "is larger than --max-file"
)
