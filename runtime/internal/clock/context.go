package clock

import "context"

// key is that of a context's clock.
type key struct{}

// With returns a context that carries a clock. An App whose Run is given one measures trust by it:
// this is how a test of whole apps, which cannot reach an engine, steps the clock of one of them.
func With(ctx context.Context, c Clock) context.Context { return context.WithValue(ctx, key{}, c) }

// From returns the clock that a context carries, that of the operating system if it carries none.
func From(ctx context.Context) Clock {
	if c, ok := ctx.Value(key{}).(Clock); ok {
		return c
	}
	return System()
}
