package framework

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Taken is what to do about a key that another object of the same kind has, which importID names. The provider can't tell
// the causes apart: whatever a killed apply has created is in no state, and a create doesn't show whether it is one half of a
// replacement.
func (p *ProviderData) Taken(workspaceID types.String, importID, noun, key string) string {
	return fmt.Sprintf("If it is yours and not in the state yet, for example because an earlier apply was killed, %s\n\n%s",
		p.TakeOver(workspaceID, importID), Twice(noun, key))
}

// Twice is what to do where the object that has a key is in the state already.
func Twice(noun, key string) string {
	return fmt.Sprintf("If another resource in the configuration has the same %[2]s, change one of them. If this is a "+
		"replacement with create_before_destroy, remove that setting: the %[2]s is free only after the old %[1]s is "+
		"destroyed. Otherwise choose another %[2]s.", noun, key)
}

// TakeOver says how to import what exists already. No provider knows the address of a resource, so a placeholder stands in
// for it.
func (p *ProviderData) TakeOver(workspaceID types.String, importID string) string {
	if own := workspaceID.ValueString(); own != "" && own != p.Client.WorkspaceID() {
		importID = own + "/" + importID
	}
	return fmt.Sprintf("add this block to the root module, with the address of this resource in place of ADDRESS, and apply "+
		"again:\n\n    import {\n      to = ADDRESS\n      id = %q\n    }", importID)
}
