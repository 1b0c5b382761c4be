package framework

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Refresh reads the object of a state, a second time if it is gone, and stores what that shows. It returns the state before and the object;
// nil if the state is kept or removed. noun and label are the object's words in messages, and read returns nil without an error if it is gone.
func Refresh[M Identified](
	ctx context.Context, p *ProviderData, req resource.ReadRequest, resp *resource.ReadResponse, noun string, label func(state M) string,
	read func(ctx context.Context, p *ProviderData, state M) (*M, diag.Diagnostics),
) (state M, found *M) {
	stored := StateWriter{State: &resp.State, Identity: resp.Identity}
	resp.Diagnostics.Append(Read(ctx, req.State.Schema, req.State.Raw, &state)...)
	if resp.Diagnostics.HasError() {
		return state, nil
	}
	if p.Client == nil { // Happens only in plans, which keep the last known state.
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
		return state, nil
	}
	found, presence, diags := LookTwice(ctx, p, req.Private, noun, label(state), Finding(state, read))
	resp.Diagnostics.Append(diags...)
	switch {
	case diags.HasError():
	case presence == NotShown:
		resp.Diagnostics.Append(stored.Write(ctx, state)...)
	case presence == Gone:
		resp.Diagnostics.Append(stored.Remove(ctx, state, resp.Private)...)
	default:
		resp.Diagnostics.Append(MarkSeen(ctx, resp.Private)...)
		resp.Diagnostics.Append(DropRecord(ctx, resp.Private)...)
		resp.Diagnostics.Append(stored.Write(ctx, *found)...)
		return state, found
	}
	return state, nil
}

// Finding looks for the object of a state with a function that reads it, and returns nil without an error if it is gone.
func Finding[M any](state M, read func(ctx context.Context, p *ProviderData, state M) (*M, diag.Diagnostics)) Look[*M] {
	return func(ctx context.Context, p *ProviderData) (*M, string, diag.Diagnostics) {
		found, diags := read(ctx, p, state)
		if found == nil && !diags.HasError() {
			return nil, Missing, diags
		}
		return found, "", diags
	}
}
