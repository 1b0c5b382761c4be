package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// Answer returns the model of the object that a request of the operation has returned, or the diagnostics if the request failed.
func Answer[M Identified, A any](ctx context.Context, op *Operation[M], model func(prior M, answer A) M, answer *A, err error) (*M, diag.Diagnostics) {
	if err != nil {
		return nil, op.Failed(ctx, err)
	}
	return new(model(op.object(), *answer)), nil
}

// Confirming returns the Confirm of a resource: get reads an object that has just been created.
func Confirming[M Identified, A any](
	model func(prior M, answer A) M, get func(ctx context.Context, c *client.Client, created M) (*A, error),
) func(context.Context, *Operation[M], M) (M, error) {
	return func(ctx context.Context, op *Operation[M], created M) (M, error) {
		shown, err := get(ctx, op.In(*op.spec.Workspace(&created)), created)
		if err != nil {
			return created, err
		}
		return model(created, *shown), nil
	}
}
