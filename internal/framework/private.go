package framework

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// PrivateReader is the private state of a resource in a request.
type PrivateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// PrivateWriter is the private state of a resource in a response.
type PrivateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// PrivateKey is a key of the private state of a resource.
type PrivateKey int

// The keys of the private states of all resources.
const (
	// unseenKey has the time when an object was created that no read has shown since.
	unseenKey PrivateKey = iota
	// recordKey has a Record.
	recordKey
	// EnvironmentKey has the fingerprints of a deployment's environment, and ResourceSpecKey the record of its resource_spec.
	EnvironmentKey
	ResourceSpecKey
	// ClientSecretKey has the fingerprint of an OAuth provider's secret. ClientSecretLeftKey is true if an apply has left the service
	// with a secret that is no longer configured.
	ClientSecretKey
	ClientSecretLeftKey
	// TokensKey has the fingerprint of an OAuth token.
	TokensKey
	// ChoiceKey has how a connection of an agent chooses the user's token.
	ChoiceKey
)

var privateKeys = [...]string{
	unseenKey: "unseen", recordKey: "replaceable", EnvironmentKey: "environment", ResourceSpecKey: "resource_spec",
	ClientSecretKey: "client_secret", ClientSecretLeftKey: "client_secret_left", TokensKey: "tokens", ChoiceKey: "choice",
}

func (k PrivateKey) String() string { return privateKeys[k] }

// LoadPrivate decodes what is stored under key into value, which stays as it is if there is nothing.
func LoadPrivate(ctx context.Context, private PrivateReader, key PrivateKey, value any) diag.Diagnostics {
	data, diags := private.GetKey(ctx, key.String())
	if len(data) == 0 {
		return diags
	}
	if err := json.Unmarshal(data, value); err != nil {
		diags.AddError("Unreadable private state", fmt.Sprintf("The record of %s can't be read: %s. Remove the resource from "+
			"the state with `terraform state rm` and import it again.", key, err))
	}
	return diags
}

// SavePrivate stores value under key.
func SavePrivate(ctx context.Context, private PrivateWriter, key PrivateKey, value any) diag.Diagnostics {
	data, err := json.Marshal(value)
	if err != nil {
		return NewError(fmt.Sprintf("Cannot record %s", key), "%s", err)
	}
	return private.SetKey(ctx, key.String(), data)
}

// ClearPrivate removes what is stored under key.
func ClearPrivate(ctx context.Context, private PrivateWriter, key PrivateKey) diag.Diagnostics {
	return private.SetKey(ctx, key.String(), nil)
}

// Leave removes an object from the state, with everything in its private state: Terraform would pass that to the plan of the object that is
// created in its place.
func Leave(ctx context.Context, state *tfsdk.State, private PrivateWriter) diag.Diagnostics {
	var diags diag.Diagnostics
	for key := range privateKeys {
		diags.Append(ClearPrivate(ctx, private, PrivateKey(key))...)
	}
	state.RemoveResource(ctx)
	return diags
}

// Fingerprint recognizes values that the service never returns, without storing them: it has a salted HMAC for each name. It reports
// whether a planned value differs, even a write-only one. It belongs in the private state and is written when values were
// read or accepted, never while planning: a failed write must not look done.
type Fingerprint struct {
	// Salt is random for each resource, so that equal values of two resources have different MACs.
	Salt []byte `json:"salt"`
	// MACs has the HMACs by name of the value.
	MACs map[string]string `json:"macs"`
}

// LoadFingerprint returns the fingerprint under key, or an empty one, which matches nothing.
func LoadFingerprint(ctx context.Context, private PrivateReader, key PrivateKey) (Fingerprint, diag.Diagnostics) {
	var f Fingerprint
	diags := LoadPrivate(ctx, private, key, &f)
	return f, diags
}

// Save writes the fingerprint under key.
func (f Fingerprint) Save(ctx context.Context, private PrivateWriter, key PrivateKey) diag.Diagnostics {
	return SavePrivate(ctx, private, key, f)
}

// Emptied returns a fingerprint without values, with the same salt, or a new one if there is none.
func (f Fingerprint) Emptied() Fingerprint {
	next := Fingerprint{Salt: f.Salt, MACs: map[string]string{}}
	if len(next.Salt) == 0 {
		next.Salt = make([]byte, sha256.Size)
		_, _ = rand.Read(next.Salt) // Never fails; see crypto/rand.
	}
	return next
}

// Add adds a value that the service has accepted or returned under name. The fingerprint must be a result of Emptied, which has a salt.
func (f Fingerprint) Add(name, value string) { f.MACs[name] = f.mac(name, value) }

// With returns the fingerprint with a value that the service has accepted under name.
func (f Fingerprint) With(name, value string) Fingerprint {
	next := f.Emptied()
	maps.Copy(next.MACs, f.MACs)
	next.Add(name, value)
	return next
}

// Holds reports whether a value was accepted under name.
func (f Fingerprint) Holds(name string) bool { return f.MACs[name] != "" }

// Matches reports whether value was accepted under name.
func (f Fingerprint) Matches(name, value string) bool {
	return f.Holds(name) && hmac.Equal([]byte(f.MACs[name]), []byte(f.mac(name, value)))
}

// Differs reports whether a planned value differs, or may differ, from the one that was accepted under name.
func (f Fingerprint) Differs(name string, planned types.String) bool {
	return planned.IsUnknown() || !f.Matches(name, planned.ValueString())
}

// mac returns the salted HMAC of a value, in hexadecimal. It includes the name, so that equal values under two names have different
// MACs.
func (f Fingerprint) mac(name, value string) string {
	h := hmac.New(sha256.New, f.Salt)
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write([]byte(value))
	return hex.EncodeToString(h.Sum(nil))
}

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

// save writes the record to the private data of a plan with a prior state.
func (r Record) save(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	return SavePrivate(ctx, private, recordKey, r)
}

// takeRecord returns the record of the object that a plan without a prior state replaces, and removes it; without an ID if the plan creates
// an object. The record counts only while the object exists.
func takeRecord(ctx context.Context, before PrivateReader, private PrivateWriter) (Record, diag.Diagnostics) {
	var r Record
	diags := LoadPrivate(ctx, before, recordKey, &r)
	return r, append(diags, dropRecord(ctx, private)...)
}

// dropRecord removes the record of a plan.
func dropRecord(ctx context.Context, private PrivateWriter) diag.Diagnostics {
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
