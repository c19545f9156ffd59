package ports

import "context"

// Bus carries short texts between the nodes that share a database, so that they learn at once of what others have
// committed. It may lose, double and reorder texts, and delay them as long as it likes: what nodes hear only makes them
// look into the database, which they also do from time to time without it. It isolates the message broker. adapters →
// kernel.
type Bus interface {
	// Tell sends a text of less than 8000 bytes, without spaces at its ends, to all nodes that listen, perhaps including
	// this one. Whoever has access to the broker reads it.
	Tell(ctx context.Context, text string) error
	// Listen receives texts on a connection of its own until that breaks or ctx ends. It calls ready once what others
	// send arrives, and then received for each text, on the same goroutine. It returns an error also when it knows that
	// texts were lost, so that the caller, which listens again, looks into the database.
	Listen(ctx context.Context, ready func(), received func(text string)) error
	// Close ends the connection with which Tell sends.
	Close() error
}
