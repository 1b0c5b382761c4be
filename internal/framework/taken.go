package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// Taken returns the remedies if another object of the same kind, with the given import ID, has the key. The provider can't
// distinguish the causes: it doesn't know addresses, what a killed apply has created is not in state, and a create doesn't show
// whether it is one half of a replacement. Importing an object that is in state at another address would lead to its destruction.
func (p *ProviderData) Taken(workspaceID types.String, importID, noun, key string) string {
	return fmt.Sprintf("If this configuration manages that %[1]s at another address, for example because the block was renamed, add "+
		"a `moved` block from that address to this one.\n\nIf no configuration manages it, for example because an earlier apply was "+
		"killed, %[2]s\n\n%[3]s", noun, p.TakeOver(workspaceID, importID), Twice(noun, key))
}

// Twice returns the remedy if the object that has the key is already in state.
func Twice(noun, key string) string {
	return fmt.Sprintf("If another resource in the configuration has the same %[2]s, change one of them. If this is a "+
		"replacement with create_before_destroy, remove that setting: the %[2]s is free only after the old %[1]s is "+
		"destroyed. Otherwise choose another %[2]s.", noun, key)
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
	return fmt.Sprintf("add this block to the root module, with the address of this resource in place of ADDRESS, and apply "+
		"again:\n\n    import {\n      to = ADDRESS\n      id = %q\n    }", importID)
}
