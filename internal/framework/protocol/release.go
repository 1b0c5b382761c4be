package protocol

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// releaseAfter makes a call with a context that refers to ctx only until the call returns. The framework keeps the context of every
// call until the process ends, and with it the loggers and the gRPC stream that the context refers to. With several calls for each
// resource, that is most of the memory of a large plan. Calls that return a stream need their context after they return.
//
//nolint:contextcheck // The linter doesn't see that the new context inherits from ctx.
func releaseAfter(ctx context.Context, c *call, next answerer) (any, error) {
	switch c.request.(type) {
	case *tfprotov6.ListResourceRequest, *tfprotov6.InvokeActionRequest:
		return next(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	during := &callContext{done: ctx.Done()}
	during.parent.Store(&ctx)
	defer during.parent.Store(&released)
	defer cancel()
	return next(during)
}

// released is the parent of all calls that have returned: it is canceled and has no values.
var released = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// callContext is the context of a call.
type callContext struct {
	parent atomic.Pointer[context.Context]
	done   <-chan struct{}
}

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return (*c.parent.Load()).Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *callContext) Err() error { return (*c.parent.Load()).Err() }

// Value implements context.Context.
func (c *callContext) Value(key any) any { return (*c.parent.Load()).Value(key) }
