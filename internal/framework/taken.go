package framework

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// UniqueKey is a key that the service allows only one object to have.
type UniqueKey[M any] struct {
	// Attribute identifies an object in messages and is part of the key, and Words are the names of all parts.
	Attribute, Words string
	// ID returns the import ID of an object, and Values the value of Attribute, the workspace and the other parts of the key.
	ID     func(m M) types.String
	Values func(m M) (attribute, workspaceID types.String, others []attr.Value)
	// Holder returns the import ID of the object in the service that has the key of m; empty if there is none. The lists that it reads are
	// shared by the whole plan.
	Holder func(ctx context.Context, p *ProviderData, m M) (importID string, err error)
	// InPlace says that an object's key can change. Otherwise, that replaces the object.
	InPlace bool
}

// Check looks for another object that has the key of a planned one. state is nil for a creation, where another object is a warning: the same plan
// may destroy it. If the plan replaces the object of the state, which must not be destroyed in vain, another object is an error.
func (k UniqueKey[M]) Check(ctx context.Context, p *ProviderData, noun string, planned M, state *M) diag.Diagnostics {
	if k.Holder == nil || p.Client == nil || p.Memo.Applying.Load() {
		return nil // The plan has looked.
	}
	value, workspace, others := k.Values(planned)
	if slices.ContainsFunc(slices.Concat(others, []attr.Value{value, workspace}), attr.Value.IsUnknown) {
		return nil
	}
	var replaced string
	if state != nil {
		had, in, rest := k.Values(*state)
		if k.InPlace || had.Equal(value) && slices.EqualFunc(rest, others, attr.Value.Equal) && (in.IsNull() || in.Equal(workspace)) {
			return nil // The workspace is null before the first refresh.
		}
		replaced = k.ID(*state).ValueString()
	}
	at, summary := path.Root(k.Attribute), fmt.Sprintf("%s %q exists already", capital(noun), value.ValueString())
	holder, err := k.Holder(ctx, p, planned)
	switch {
	case err != nil && replaced != "":
		return ErrorAt(at, "Replacement can't be checked", "%s %s would be destroyed, but it isn't known whether another %s has the same %s as the "+
			"new one, because reading the list failed: %s Use a key that may read it, or make two applies: remove the resource in the first, and "+
			"add it again in the second.", capital(noun), replaced, noun, k.Words, Sentence(err.Error()))
	case err != nil, holder == "", holder == replaced: // A creation shows the error.
		return nil
	case replaced != "":
		return ErrorAt(at, summary, "%s %s would be destroyed, but its replacement can't be created: %s has the same %s. Change that. Or, if the "+
			"other %s is to be destroyed, make two applies: first that one, then this one.", capital(noun), replaced, holder, k.Words, noun)
	}
	return WarningAt(at, summary, "%s %s has the same %s, so this one can't be created. If no configuration manages it, %s\n\nIf it is in state at "+
		"another address, add a `moved` block instead. If this resource is tainted, there is nothing to do.", capital(noun), holder, k.Words,
		p.TakeOver(workspace, holder))
}

// Taken returns the ways out if another object of the same kind, with the given import ID, has the key; the first is that of a killed apply,
// whose object is not in state. The provider can't distinguish the causes: it doesn't know addresses, and a create doesn't show whether it is
// one half of a replacement. Importing an object that is in state at another address would lead to its destruction.
func (p *ProviderData) Taken(workspaceID types.String, importID, noun, key string) string {
	return fmt.Sprintf("If no configuration manages that %s, %s\n\nIf it is in state at another address, add a `moved` block instead. %s",
		noun, p.TakeOver(workspaceID, importID), Twice(key))
}

// Twice returns the ways out if the object that has the key is in state.
func Twice(key string) string {
	return "Otherwise choose another " + key + ", or remove create_before_destroy from a replacement."
}

// Found explains how to import the object that a failed create may have made; empty if it found none. importID converts the ID of the
// object; nil if that is its import ID.
func (p *ProviderData) Found(workspaceID types.String, err error, importID func(id string) string) string {
	id := client.FoundID(err)
	switch {
	case id == "":
		return ""
	case importID != nil:
		id = importID(id)
	}
	return "If it is yours, " + p.TakeOver(workspaceID, id)
}

// TakeOver explains how to import an existing object. Providers don't know the address of a resource, so the text has a
// placeholder for it.
func (p *ProviderData) TakeOver(workspaceID types.String, importID string) string {
	if own := workspaceID.ValueString(); own != "" && own != p.Client.WorkspaceID() {
		importID = own + "/" + importID
	}
	return fmt.Sprintf("add this to the root module, with this resource's address, and apply again:\n\n    import {\n      to = ADDRESS\n      id = %q\n    }", importID)
}
