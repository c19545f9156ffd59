package ports

import "context"

type meterKey struct{}

// Metered returns a context whose work is charged to the caller: take receives the number of bytes of stored text
// about to be scanned, changed or sent again, and may refuse with an error of code RateLimit.
func Metered(ctx context.Context, take func(bytes int) error) context.Context {
	return context.WithValue(ctx, meterKey{}, take)
}

// Spend charges the caller of ctx for scanning, changing or repeating bytes of stored text. The server's own work is
// free. Errors: RateLimit.
func Spend(ctx context.Context, bytes int) error {
	take, _ := ctx.Value(meterKey{}).(func(int) error)
	if take == nil || bytes <= 0 {
		return nil
	}
	return take(bytes)
}
