package protocol

import (
	"context"
	"errors"
	"testing"
	"time"
)

type contextKey struct{}

func TestReleaseAfter(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	parent, cancel := context.WithDeadline(context.WithValue(t.Context(), contextKey{}, "value"), deadline)
	defer cancel()
	failure := errors.New("failure")
	var during, derived context.Context
	response, err := releaseAfter(parent, &call{}, func(ctx context.Context) (any, error) {
		during = ctx
		var end context.CancelFunc
		derived, end = context.WithCancel(ctx)
		t.Cleanup(end)
		if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline) {
			t.Errorf("deadline %v, want %v", got, deadline)
		}
		if got := derived.Value(contextKey{}); got != "value" {
			t.Errorf("value %v", got)
		}
		if ctx.Err() != nil || derived.Err() != nil {
			t.Error(ctx.Err(), derived.Err())
		}
		return "response", failure
	})
	if response != "response" || !errors.Is(err, failure) {
		t.Error(response, err)
	}
	for name, ctx := range map[string]context.Context{"during": during, "derived": derived} {
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.Canceled) || ctx.Value(contextKey{}) != nil {
			t.Errorf("%s: %v, value %v", name, ctx.Err(), ctx.Value(contextKey{}))
		}
		if got, ok := ctx.Deadline(); ok {
			t.Errorf("%s: deadline %v", name, got)
		}
	}
	if parent.Err() != nil {
		t.Error("the parent is canceled, too:", parent.Err())
	}
}

// TestReleaseAfter_canceled cancels a call, as Ctrl-C does.
func TestReleaseAfter_canceled(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithCancel(t.Context())
	_, err := releaseAfter(parent, &call{}, func(ctx context.Context) (any, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
