package framework

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Record has the facts about an object that a plan needs to replace it on request (-replace, replace_triggered_by). Terraform then plans an
// update, and after it a creation, which gets the private data that the first plan returned, but not the state. Of the diagnostics of the
// second plan, Terraform shows only errors. Each plan with a prior state writes the record, and the state never has it.
type Record struct {
	ID        string `json:"id"`
	Protected bool   `json:"protected,omitempty"`
	// FreesName says that what reserves the name is deleted with the object.
	FreesName bool `json:"frees_name,omitempty"`
	// Checked says that an attribute requires the replacement, so the first plan has checked it.
	Checked bool `json:"checked,omitempty"`
}

// Save writes the record to the private data of a plan with a prior state.
func (r Record) Save(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	return SavePrivate(ctx, private, recordKey, r)
}

// TakeRecord returns the record of the object that a plan without a prior state replaces, and removes it; without an ID if the plan creates
// an object. The record counts only while the object exists.
func TakeRecord(ctx context.Context, before PrivateReader, private PrivateWriter) (Record, diag.Diagnostics) {
	var r Record
	diags := LoadPrivate(ctx, before, recordKey, &r)
	return r, append(diags, DropRecord(ctx, private)...)
}

// DropRecord removes the record of a plan.
func DropRecord(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	return ClearPrivate(ctx, private, recordKey)
}

// Protection is the deletion_protection of an object.
type Protection struct {
	On types.Bool
	// Noun and Label are the object's words in messages, such as: deployment, "chat". With is what is destroyed with it, such as: the
	// tokens of its users.
	Noun, Label, With string
}

// RefuseDestroy refuses to destroy a protected object.
func (p Protection) RefuseDestroy() diag.Diagnostics {
	return p.refuse(path.Root("deletion_protection"), fmt.Sprintf("%s %s would be destroyed with %s, but its deletion_protection is true. Set it to "+
		"false and apply that first, or keep the %s by removing it from the state only (`terraform state rm`). If it is tainted, because its "+
		"creation failed, run `terraform untaint` with its address first: the next apply then repairs it, and changes its deletion_protection, "+
		"instead of replacing it.", capital(p.Noun), p.Label, p.With, p.Noun))
}

// RefuseReplacement refuses to replace a protected object because of the attribute at a path.
func (p Protection) RefuseReplacement(at path.Path) diag.Diagnostics {
	return p.refuse(at, fmt.Sprintf("Changing %s replaces %s %s, which destroys it first, with %s, but its deletion_protection is true. Set "+
		"deletion_protection to false and apply that first, or revert the change.", at, p.Noun, p.Label, p.With))
}

// RefuseRequest refuses to replace a protected object on request.
func (p Protection) RefuseRequest() diag.Diagnostics {
	return p.refuse(path.Root("deletion_protection"), fmt.Sprintf("%s %s would be replaced on request, by -replace or replace_triggered_by, which "+
		"destroys it with %s, but its deletion_protection is true. Set deletion_protection to false and apply that first, or revoke the request.",
		capital(p.Noun), p.Label, p.With))
}

func (p Protection) refuse(at path.Path, detail string) diag.Diagnostics {
	if !p.On.ValueBool() {
		return nil
	}
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, capital(p.Noun)+" is protected", detail)}
}
