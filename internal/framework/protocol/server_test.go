package protocol_test

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/framework/protocol"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// check makes a call to a server with and without comparison, and to the framework alone. All three must return the same response and
// call the resource equally often. isDirect reports whether the server must answer without the framework.
func check[Resp any](t *testing.T, f fake, asked int, isDirect bool, call func(tfprotov6.ProviderServer, map[string]tftypes.Type) (Resp, error)) {
	t.Helper()
	alone := f
	framework, ok := providerserver.NewProtocol6(&alone)().(protocol.FrameworkServer)
	if !ok {
		t.Fatal("the framework's server doesn't implement all interfaces")
	}
	for _, compares := range []bool{false, true} {
		tested := f
		s := start(t, &tested, compares)
		want, err := call(framework, s.types)
		if err != nil {
			t.Fatal(err)
		}
		s.framework = 0
		got, err := call(s, s.types)
		if err != nil {
			t.Fatal(err)
		}
		providertest.SameAnswers(t)("the server", got, want)
		if tested.asked != asked {
			t.Errorf("the resource was called %d times, want %d", tested.asked, asked)
		}
		if asked > 0 && tested.data != "configured" {
			t.Errorf("the resource was configured with %v, want configured", tested.data)
		}
		if spared := s.framework == 0; !compares && spared != isDirect {
			t.Errorf("answered without the framework: %t, want %t", spared, isDirect)
		}
		if compared := s.compared == 1; compares && compared != isDirect {
			t.Errorf("compared %d responses, want one: %t", s.compared, isDirect)
		}
	}
}

// private returns private state as the framework encodes it.
const private = `{"key":"eyJhIjoxfQ=="}`

func TestPlanResourceChange(t *testing.T) {
	t.Parallel()
	type (
		request  = tfprotov6.PlanResourceChangeRequest
		response = resource.ModifyPlanResponse
	)
	for name, test := range map[string]struct {
		prior, proposed, config attributes // Unless nil, used instead of those of an unchanged thing.
		request                 func(*request)
		modify                  func(context.Context, *response)
		isDirect                bool
		unasked                 bool
	}{
		"unchanged":     {isDirect: true},
		"private state": {request: func(r *request) { r.PriorPrivate = []byte(private) }, isDirect: true},
		"identity": {request: func(r *request) {
			r.PriorIdentity = &tfprotov6.ResourceIdentityData{IdentityData: identity(t, "7")}
		}, isDirect: true},
		"empty identity":     {request: func(r *request) { r.PriorIdentity = &tfprotov6.ResourceIdentityData{} }, isDirect: true},
		"write-only value":   {config: configured.with(attributes{"secret": "s"}), proposed: existing.with(attributes{"secret": "s"}), isDirect: true},
		"configured default": {config: configured.with(attributes{"mode": "fast"}), isDirect: true},
		"other than the default": {
			config: configured.with(attributes{"mode": "slow"}), prior: existing.with(attributes{"mode": "slow"}),
			proposed: existing.with(attributes{"mode": "slow"}), isDirect: true,
		},
		"default not in the state": {
			prior: existing.with(attributes{"mode": "slow"}), proposed: existing.with(attributes{"mode": "slow"}), isDirect: true,
		},
		"change": {proposed: existing.with(attributes{"size": 2}), config: configured.with(attributes{"size": 2}), isDirect: true},
		"change that the resource reverts": {
			proposed: existing.with(attributes{"size": 2}), config: configured.with(attributes{"size": 2}),
			modify: func(ctx context.Context, r *response) {
				r.Plan.SetAttribute(ctx, path.Root("size"), 1.5)
				r.Plan.SetAttribute(ctx, path.Root("seen"), []string{"a", "b"})
			},
			isDirect: true,
		},
		"change that replaces":                 {proposed: existing.with(attributes{"name": "other"}), config: configured.with(attributes{"name": "other"})},
		"removed value":                        {proposed: existing.with(attributes{"tags": nil}), config: configured.with(attributes{"tags": nil}), isDirect: true},
		"change beside write-only":             {config: configured.with(attributes{"secret": "s"}), proposed: existing.with(attributes{"secret": "s", "size": 2}), isDirect: true},
		"write-only value in the state":        {prior: existing.with(attributes{"secret": "s"}), proposed: existing.with(attributes{"secret": "s"})},
		"private state of the framework":       {request: func(r *request) { r.PriorPrivate = []byte(`{".x":"eyJhIjoxfQ=="}`) }},
		"private state written in another way": {request: func(r *request) { r.PriorPrivate = []byte(`{ "key":"eyJhIjoxfQ=="}`) }},
		"private state of another SDK":         {request: func(r *request) { r.PriorPrivate = []byte(`{"key":"eyJ"}`) }},
		"private state that is not JSON":       {request: func(r *request) { r.PriorPrivate = []byte(`{`) }, unasked: true},
		"state of another type":                {request: func(r *request) { r.PriorState = identity(t, "7") }, unasked: true},
		"configuration of another type":        {request: func(r *request) { r.Config = identity(t, "7") }, unasked: true},
		"identity of another type": {request: func(r *request) {
			r.PriorIdentity = &tfprotov6.ResourceIdentityData{IdentityData: r.PriorState}
		}, unasked: true},
		"warning": {modify: func(_ context.Context, r *response) { r.Diagnostics.AddWarning("Mind", "the gap") }},
		"error":   {modify: func(_ context.Context, r *response) { r.Diagnostics.AddAttributeError(path.Root("size"), "No", "way") }},
		"changed plan": {modify: func(ctx context.Context, r *response) {
			r.Plan.SetAttribute(ctx, path.Root("id"), types.StringUnknown())
		}, isDirect: true},
		"replacement": {modify: func(_ context.Context, r *response) { r.RequiresReplace.Append(path.Root("name")) }},
		"deferral":    {modify: func(_ context.Context, r *response) { r.Deferred = &resource.Deferred{} }},
		"changed private state": {
			request:  func(r *request) { r.PriorPrivate = []byte(private) },
			modify:   func(ctx context.Context, r *response) { r.Private.SetKey(ctx, "more", []byte("1")) },
			isDirect: true,
		},
		"emptied private state": {
			request:  func(r *request) { r.PriorPrivate = []byte(private) },
			modify:   func(ctx context.Context, r *response) { r.Private.SetKey(ctx, "key", nil) },
			isDirect: true,
		},
		"changed identity": {modify: func(ctx context.Context, r *response) {
			r.Identity.SetAttribute(ctx, path.Root("id"), types.StringValue("8"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fake{}
			if test.modify != nil {
				f.modify = func(ctx context.Context, _ resource.ModifyPlanRequest, resp *response) { test.modify(ctx, resp) }
			}
			asked := 1
			if test.unasked {
				asked = 0
			}
			check(t, f, asked, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				req := &request{
					TypeName:   "fake_thing",
					PriorState: encoded(t, as["fake_thing"], or(test.prior, existing)), ProposedNewState: encoded(t, as["fake_thing"], or(test.proposed, existing)),
					Config: encoded(t, as["fake_thing"], or(test.config, configured)),
				}
				if test.request != nil {
					test.request(req)
				}
				return s.PlanResourceChange(t.Context(), req)
			})
		})
	}
}

// TestPlanResourceChange_nested changes attributes of a nested object.
func TestPlanResourceChange_nested(t *testing.T) {
	t.Parallel()
	single := func(in attributes, object attributes) attributes { return in.with(attributes{"single": object}) }
	one := attributes{"key": "one"}
	applied := attributes{"key": "one", "found": "yes", "kept": true}
	inSingle := tftypes.NewAttributePath().WithAttributeName("single")
	for name, test := range map[string]struct {
		prior, proposed, config attributes
		unknown                 *tftypes.AttributePath
		isDirect                bool
	}{
		"created":         {nil, single(configured, one), single(configured, one), nil, true},
		"created unknown": {nil, single(configured, one), single(configured, one), inSingle, true},
		"created with an unknown value": {
			nil, single(configured, one), single(configured, one), inSingle.WithAttributeName("kept"), true,
		},
		"added":     {existing, single(existing, one), single(configured, one), nil, true},
		"removed":   {single(existing, applied), existing, configured, nil, true},
		"unknown":   {single(existing, applied), single(existing, applied), single(configured, one), inSingle, true},
		"changed":   {single(existing, applied), single(existing, applied.with(attributes{"key": "two"})), single(configured, attributes{"key": "two"}), nil, true},
		"unchanged": {single(existing, applied), single(existing, applied), single(configured, one), nil, true},
		"kept value changed": {
			single(existing, applied), single(existing, applied.with(attributes{"kept": false})),
			single(configured, one.with(attributes{"kept": false})), nil, true,
		},
		"kept value unknown": {
			single(existing, applied), single(existing, applied), single(configured, one), inSingle.WithAttributeName("kept"), true,
		},
		"replaced": {
			single(existing, applied), single(existing, applied.with(attributes{"fixed": false})),
			single(configured, one.with(attributes{"fixed": false})), nil, false,
		},
		"not configured": {single(existing, applied), single(existing, applied).with(attributes{"size": 2}), configured, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, 1, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				thing := as["fake_thing"]
				req := &tfprotov6.PlanResourceChangeRequest{
					TypeName: "fake_thing", PriorState: encoded(t, thing, test.prior),
					ProposedNewState: encoded(t, thing, test.proposed), Config: encoded(t, thing, test.config),
				}
				if test.unknown != nil {
					req.Config = unknown(t, thing, req.Config, test.unknown)
					req.ProposedNewState = unknown(t, thing, req.ProposedNewState, test.unknown)
				}
				return s.PlanResourceChange(t.Context(), req)
			})
		})
	}
}

// TestPlanResourceChange_others checks that the framework plans destructions, unknown types, and those with unusual features.
func TestPlanResourceChange_others(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource                string
		prior, proposed, config attributes
		asked                   int
		isDirect                bool
	}{
		"without identity": {"fake_plain", existing, existing, configured, 1, true},
		"creation":         {"fake_thing", nil, configured, configured, 1, true},
		"destruction":      {"fake_thing", existing, nil, nil, 1, false},
		"unknown type":     {"fake_other", existing, existing, configured, 0, false},
		"own modifier":     {"fake_own", nil, configured, configured, 1, false},
		"computed element": {"fake_deep", nil, configured, configured, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, test.asked, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				known, ok := as[test.resource]
				if !ok {
					known = as["fake_thing"]
				}
				return s.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
					TypeName: test.resource, PriorState: encoded(t, known, test.prior),
					ProposedNewState: encoded(t, known, test.proposed), Config: encoded(t, known, test.config),
				})
			})
		})
	}
}

func TestReadResource(t *testing.T) {
	t.Parallel()
	type (
		request  = tfprotov6.ReadResourceRequest
		response = resource.ReadResponse
	)
	identify := func(ctx context.Context, r *response) {
		r.Identity.SetAttribute(ctx, path.Root("id"), types.StringValue("7"))
	}
	set := func(name string, value attr.Value) func(context.Context, *response) {
		return func(ctx context.Context, r *response) {
			identify(ctx, r)
			r.State.SetAttribute(ctx, path.Root(name), value)
		}
	}
	for name, test := range map[string]struct {
		state    attributes // Unless nil, used instead of a thing's state.
		request  func(*request)
		read     func(context.Context, *response)
		isDirect bool
		unasked  bool
	}{
		"unchanged":        {read: identify, isDirect: true},
		"written as it is": {read: set("mode", types.StringValue("fast")), isDirect: true},
		"private state":    {read: identify, request: func(r *request) { r.Private = []byte(private) }, isDirect: true},
		"identity": {read: identify, request: func(r *request) {
			r.CurrentIdentity = &tfprotov6.ResourceIdentityData{IdentityData: identity(t, "7")}
		}, isDirect: true},
		"another identity": {read: identify, request: func(r *request) {
			r.CurrentIdentity = &tfprotov6.ResourceIdentityData{IdentityData: identity(t, "8")}
		}},
		"no identity": {},
		"changed":     {read: set("size", types.Float64Value(2))},
		"equal to the framework": {
			state: existing.with(attributes{"json": `{"a": 1}`}), read: set("json", types.StringValue(`{"a":1}`)),
		},
		"write-only value":               {read: set("secret", types.StringValue("s"))},
		"write-only value in the state":  {state: existing.with(attributes{"secret": "s"}), read: identify},
		"gone":                           {read: func(ctx context.Context, r *response) { identify(ctx, r); r.State.RemoveResource(ctx) }},
		"warning":                        {read: func(ctx context.Context, r *response) { identify(ctx, r); r.Diagnostics.AddWarning("Mind", "the gap") }},
		"error":                          {read: func(_ context.Context, r *response) { r.Diagnostics.AddError("No", "way") }},
		"deferral":                       {read: func(ctx context.Context, r *response) { identify(ctx, r); r.Deferred = &resource.Deferred{} }},
		"changed private state":          {read: func(ctx context.Context, r *response) { identify(ctx, r); r.Private.SetKey(ctx, "more", []byte("1")) }},
		"after an import":                {read: identify, request: func(r *request) { r.Private = []byte(`{".import_before_read":"dHJ1ZQ=="}`) }},
		"private state that is not JSON": {request: func(r *request) { r.Private = []byte(`{`) }, unasked: true},
		"no state":                       {request: func(r *request) { r.CurrentState = nil }, unasked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := fake{}
			if test.read != nil {
				f.read = func(ctx context.Context, _ resource.ReadRequest, resp *response) { test.read(ctx, resp) }
			}
			asked := 1
			if test.unasked {
				asked = 0
			}
			check(t, f, asked, test.isDirect, func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				req := &request{TypeName: "fake_thing", CurrentState: encoded(t, as["fake_thing"], or(test.state, existing))}
				if test.request != nil {
					test.request(req)
				}
				return s.ReadResource(t.Context(), req)
			})
		})
	}
	for resourceType, asked := range map[string]int{"fake_plain": 1, "fake_other": 0} {
		t.Run(resourceType, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, asked, resourceType == "fake_plain", func(s tfprotov6.ProviderServer, as map[string]tftypes.Type) (any, error) {
				return s.ReadResource(t.Context(), &request{TypeName: resourceType, CurrentState: encoded(t, as["fake_plain"], existing)})
			})
		})
	}
}

func TestUpgradeResourceState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		resource string
		version  int64
		state    *tfprotov6.RawState
		isDirect bool
	}{
		"current version":       {"fake_thing", 1, &tfprotov6.RawState{JSON: []byte(`{"id":"7","size":1.5,"list":[{"key":"one"}]}`)}, true},
		"removed attribute":     {"fake_thing", 1, &tfprotov6.RawState{JSON: []byte(`{"id":"7","removed":true}`)}, true},
		"earlier version":       {"fake_thing", 0, &tfprotov6.RawState{JSON: []byte(`{"id":"7"}`)}, false},
		"not of the schema":     {"fake_thing", 1, &tfprotov6.RawState{JSON: []byte(`{"id":{}}`)}, false},
		"before Terraform 0.12": {"fake_thing", 1, &tfprotov6.RawState{Flatmap: map[string]string{"id": "7"}}, false},
		"no state":              {"fake_thing", 1, nil, false},
		"unknown type":          {"fake_other", 1, &tfprotov6.RawState{JSON: []byte(`{"id":"7"}`)}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, fake{}, 0, test.isDirect, func(s tfprotov6.ProviderServer, _ map[string]tftypes.Type) (any, error) {
				return s.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
					TypeName: test.resource, Version: test.version, RawState: test.state,
				})
			})
		})
	}
}

func identity(t *testing.T, id string) *tfprotov6.DynamicValue {
	t.Helper()
	return encoded(t, tftypes.Object{AttributeTypes: map[string]tftypes.Type{"id": tftypes.String}}, attributes{"id": id})
}

// or returns a unless it is nil.
func or(a, otherwise attributes) attributes {
	if a == nil {
		return otherwise
	}
	return a
}
