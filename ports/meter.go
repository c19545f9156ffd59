package ports

import "context"

type meterKey struct{}

// Metered returns a context whose work is charged to whoever asks for it: take is called with the bytes of stored text
// that are about to be looked through or changed, and refuses them with an error of code RateLimit.
func Metered(ctx context.Context, take func(bytes int) error) context.Context {
	return context.WithValue(ctx, meterKey{}, take)
}

// Spend charges the caller of ctx for looking through, or changing, so many bytes of stored text. What the server does
// on its own is free. Errors: RateLimit.
func Spend(ctx context.Context, bytes int) error {
	take, _ := ctx.Value(meterKey{}).(func(int) error)
	if take == nil || bytes <= 0 {
		return nil
	}
	return take(bytes)
}
