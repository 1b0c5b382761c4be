package framework

import (
	"context"
	"net/http"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/client/mask"
)

// Operation is one call of Terraform for an object.
type Operation[M Identified] struct {
	*ProviderData
	// Config, Plan and State are what the call has. Plan includes the write-only values of Config. Of an update, Config has the planned
	// values of what it sets.
	Config, Plan M
	State        *M // Nil for a creation.
	Private      Private
	// Verb is create, read, update, delete or plan.
	Verb string

	spec    *ResourceSpec[M]
	planned M           // Plan without write-only values.
	stored  StateWriter // Of a creation or an update.
}

// Planning is the plan of a creation or of a change.
type Planning[M Identified] struct {
	*Operation[M]
	// Replaced is the record of the object that a creation replaces on request; without an ID if there is none.
	Replaced Record
	// RequiresReplace are the attributes that replace the object in addition to those for which the schema decides.
	RequiresReplace path.Paths
	// Checked says that an attribute requires a replacement, which the plan has checked.
	Checked bool
}

// Private is the private state of an object: the reader has it as before the operation.
type Private struct {
	PrivateReader
	PrivateWriter
}

// begin reads the models of a call. The returned context masks their secrets.
func (op *Operation[M]) begin(ctx context.Context, config, plan, state tfsdk.State) (context.Context, diag.Diagnostics) {
	var prior M
	var diags diag.Diagnostics
	if !state.Raw.IsNull() {
		diags.Append(Read(ctx, state.Schema, state.Raw, &prior)...)
		op.State = &prior
	}
	if !plan.Raw.IsNull() {
		diags.Append(Read(ctx, config.Schema, config.Raw, &op.Config)...)
		op.planned = prior
		if op.State == nil || !Same(plan.Raw, state.Raw) { // Most objects don't change, and converting them takes time.
			diags.Append(Read(ctx, plan.Schema, plan.Raw, &op.planned)...)
		}
		op.Plan = withWriteOnly(plan, op.planned, op.Config)
		if op.Verb == "update" {
			var set M
			diags.Append(Read(ctx, config.Schema, withPlanned(config.Raw, plan.Raw), &set)...)
			op.Config = withWriteOnly(plan, set, op.Config)
		}
	}
	if op.spec.Secrets != nil {
		ctx = MaskValues(ctx, append(op.spec.Secrets(prior), op.spec.Secrets(op.Plan)...)...)
	}
	return ctx, diags
}

// withPlanned returns the planned values of what a configuration sets. They differ where ignore_changes applies: core plans with the value of
// the state, and applies with the configuration.
func withPlanned(config, plan tftypes.Value) tftypes.Value {
	var set, planned map[string]tftypes.Value
	switch {
	case config.IsNull() || !plan.IsKnown():
		return config
	case plan.IsNull() || !config.Type().Is(tftypes.Object{}) || config.As(&set) != nil || plan.As(&planned) != nil:
		return plan
	}
	values := make(map[string]tftypes.Value, len(set)) // set belongs to the configuration.
	for name, value := range set {
		values[name] = withPlanned(value, planned[name])
	}
	return tftypes.NewValue(config.Type(), values)
}

// withWriteOnly returns m with the write-only values of another model. in has their schema.
func withWriteOnly[M any](in tfsdk.State, m, from M) M {
	attributes := in.Schema.GetAttributes()
	to, source := reflect.ValueOf(&m).Elem(), reflect.ValueOf(from)
	for _, f := range fieldsOf(to) {
		if attribute := attributes[f.name]; attribute != nil && attribute.IsWriteOnly() {
			to.FieldByIndex(f.index).Set(source.FieldByIndex(f.index))
		}
	}
	return m
}

// Store stores an object as it is. A creation or an update that uses it compares the planned values with those of the service itself.
func (op *Operation[M]) Store(ctx context.Context, m M) diag.Diagnostics {
	return op.stored.Write(ctx, m)
}

// object returns the model that describes the object in messages.
func (op *Operation[M]) object() M {
	if op.Verb == "create" || op.Verb == "update" {
		return op.Plan
	}
	return *op.State
}

// label names an object at the start of a sentence.
func (op *Operation[M]) label(m M) string { return capital(op.spec.Noun) + " " + op.spec.Label(m) }

// Failed returns the diagnostics for a request of the operation that has failed.
func (op *Operation[M]) Failed(ctx context.Context, err error) diag.Diagnostics {
	return op.Failure(ctx, err).Diagnostics(err)
}

// Failure describes a failed request of the operation. It may look up why the request was refused.
func (op *Operation[M]) Failure(ctx context.Context, err error) Failure {
	object := op.object()
	failure := op.spec.Failure(object, op.Verb)
	if op.Verb == "update" {
		failure.Gone = func() bool { return op.isGone(ctx) }
		return failure
	}
	failure.Existing = "" // Other operations don't expect the object, or accept that it is gone.
	if op.Verb != "create" {
		return failure
	}
	if op.spec.Taken != nil && client.IsConflict(err) {
		if remedy := op.spec.Taken(ctx, op); remedy != "" {
			failure.NextSteps[http.StatusConflict] = remedy
			return failure
		}
	}
	var importID func(id string) string
	if op.spec.ImportID != nil {
		importID = func(id string) string { return op.spec.ImportID(object, id) }
	}
	failure.Last = op.Found(*op.spec.Workspace(&object), err, importID)
	return failure
}

// isGone reads the object of the state, without anything that was remembered.
func (op *Operation[M]) isGone(ctx context.Context) bool {
	again := *op.ProviderData
	again.again = true
	_, gone, diags := op.look(op.State)(ctx, &again)
	return gone != "" && !diags.HasError()
}

// Deleted returns the diagnostics for a deletion that ended with err; none if the object was already gone.
func (op *Operation[M]) Deleted(ctx context.Context, err error) diag.Diagnostics {
	if err == nil || client.IsNotFound(err) {
		return nil
	}
	return op.Failed(ctx, err)
}

// look looks for the object of a state.
func (op *Operation[M]) look(state *M) Look[*M] {
	return func(ctx context.Context, p *ProviderData) (*M, string, diag.Diagnostics) {
		reading := Operation[M]{ProviderData: p, State: state, Private: op.Private, Verb: "read", spec: op.spec}
		found, diags := op.spec.Read(ctx, &reading)
		if found == nil && !diags.HasError() {
			return nil, Missing, diags
		}
		return found, "", diags
	}
}

// refresh returns the new state of the object.
func (op *Operation[M]) refresh(ctx context.Context) (*M, Presence, diag.Diagnostics) {
	if op.spec.Refresh != nil {
		return op.spec.Refresh(ctx, op)
	}
	return LookTwice(ctx, op.ProviderData, op.Private, op.spec.Noun, op.spec.Label(*op.State), op.look(op.State))
}

// UnlessGone returns the diagnostics that refuse to destroy the object of a state, and none if that is gone: what is gone needs no protection.
func (op *Operation[M]) UnlessGone(ctx context.Context, state M, refused diag.Diagnostics) diag.Diagnostics {
	if !refused.HasError() || op.Client == nil {
		return refused
	}
	if _, presence, _ := LookTwice(ctx, op.ProviderData, op.Private, op.spec.Noun, op.spec.Label(state), op.look(&state)); presence == Gone {
		return nil
	}
	return refused
}

// refuseDestroy refuses to destroy an object that is protected.
func (op *Operation[M]) refuseDestroy(ctx context.Context) diag.Diagnostics {
	if op.spec.Protection == nil {
		return nil
	}
	return op.UnlessGone(ctx, *op.State, op.spec.Protection(*op.State).RefuseDestroy())
}

// Confirm waits until a read returns a new object, and replaces the answer to its creation.
func (op *Operation[M]) Confirm(ctx context.Context, created *M) diag.Diagnostics {
	if op.spec.Confirm == nil {
		return nil
	}
	return op.AwaitShown(ctx, op.Private, op.label(*created), func(ctx context.Context) error {
		shown, err := op.spec.Confirm(ctx, op, *created)
		if err == nil {
			*created = shown
		}
		return err
	})
}

// overtaken warns of what another user has changed during the operation.
func (op *Operation[M]) overtaken(ctx context.Context, before, found M) diag.Diagnostics {
	diags := Overtaken(ctx, op.label(found), op.Config, op.planned, found)
	return append(diags, op.recreated(ctx, before, found)...)
}

func (op *Operation[M]) recreated(ctx context.Context, before, found M) diag.Diagnostics {
	if op.spec.Recreated == nil {
		return nil
	}
	return op.spec.Recreated(ctx, op, before, found)
}

// Answer returns the model of the object that a request of the operation has returned, or the diagnostics if the request failed. It returns
// neither for nil: there is no such object.
func Answer[M Identified, A any](ctx context.Context, op *Operation[M], model func(prior M, answer A) M, answer *A, err error) (*M, diag.Diagnostics) {
	switch {
	case err != nil:
		return nil, op.Failed(ctx, err)
	case answer == nil:
		return nil, nil
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

// MaskValues masks values in everything that is logged with the context, and in messages of the service.
func MaskValues(ctx context.Context, values ...string) context.Context {
	for _, value := range values {
		if value != "" {
			ctx = mask.With(tflog.MaskLogStrings(ctx, value), value)
		}
	}
	return ctx
}

// MaskSecrets does the same for the values of an environment.
func MaskSecrets(ctx context.Context, secrets []api.Secret) context.Context {
	for _, secret := range secrets {
		ctx = MaskValues(ctx, secret.Value)
	}
	return ctx
}
