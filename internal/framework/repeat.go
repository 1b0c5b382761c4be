package framework

import "context"

// Answered is a call of a resource or data source that was made without the plugin framework. If the framework makes the same call again,
// it gets the same response: another one would send requests to the service twice.
type Answered[Req, Resp any] struct {
	Req  Req
	Resp Resp
	// Repeated is called with the framework's request. Nil except in tests.
	Repeated func(Req)
}

type answeredKey[Req, Resp any] struct{}

// Repeating returns a context in which Repeat returns the response.
func (a *Answered[Req, Resp]) Repeating(ctx context.Context) context.Context {
	return context.WithValue(ctx, answeredKey[Req, Resp]{}, a)
}

// Repeat reports whether a call was already answered, and then sets its response.
func Repeat[Req, Resp any](ctx context.Context, req Req, resp *Resp) bool {
	a, ok := ctx.Value(answeredKey[Req, Resp]{}).(*Answered[Req, Resp])
	if !ok {
		return false
	}
	if a.Repeated != nil {
		a.Repeated(req)
	}
	*resp = a.Resp
	return true
}

// Repeater is implemented by resources and data sources whose methods Read and ModifyPlan begin with Repeat.
type Repeater interface{ Repeats() }
