package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// StateWriter writes the state and the identity of an object.
type StateWriter struct {
	State *tfsdk.State
	// Identity is nil if the CLI doesn't support identities.
	Identity *tfsdk.ResourceIdentity
}

// Identified is a model that knows its resource identity.
type Identified interface{ ResourceIdentity() any }

// Write stores a model and its identity.
func (w StateWriter) Write(ctx context.Context, m Identified) diag.Diagnostics {
	diags := Write(ctx, w.State.Schema, &w.State.Raw, m)
	diags.Append(w.WriteIdentity(ctx, m)...)
	return diags
}

// WriteIdentity stores the identity of a model, unless the object has one: Terraform doesn't accept another one. That of an import may have
// other attributes than the model has.
func (w StateWriter) WriteIdentity(ctx context.Context, m Identified) diag.Diagnostics {
	if w.Identity == nil || !w.Identity.Raw.IsFullyNull() {
		return nil
	}
	return w.Identity.Set(ctx, m.ResourceIdentity())
}

// Remove removes an object from the state, with its private state. The framework requires an identity even for removed objects.
func (w StateWriter) Remove(ctx context.Context, m Identified, private PrivateWriter) diag.Diagnostics {
	diags := w.Write(ctx, m)
	return append(diags, Leave(ctx, w.State, private)...)
}
