package bench

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// managed is an object of a resource. Its methods make the calls that Terraform makes.
type managed struct {
	name string
	// none is the null of the resource; state is nil before the creation.
	none, config, state *tfprotov6.DynamicValue
	private             []byte
	identity            *tfprotov6.ResourceIdentityData
}

func newManaged(p *inProcess, name string, config object) (managed, error) {
	as := p.schema.ResourceSchemas[name].ValueType()
	none, err := newValue(as, nil)
	if err != nil {
		return managed{}, err
	}
	configured, err := newValue(as, config)
	return managed{name: name, none: none, config: configured}, err
}

// plan plans what changes from a state to a proposed one.
func (m *managed) plan(ctx context.Context, p *inProcess, from, to *tfprotov6.DynamicValue) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := p.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: m.name, PriorState: from, ProposedNewState: to, Config: m.config, PriorPrivate: m.private, PriorIdentity: m.identity,
	})
	if err != nil {
		return nil, err
	}
	return resp, failure(resp.Diagnostics)
}

func (m *managed) planNew(ctx context.Context, p *inProcess) error {
	_, err := m.plan(ctx, p, m.none, m.config)
	return err
}

func (m *managed) planUnchanged(ctx context.Context, p *inProcess) error {
	if err := m.read(ctx, p); err != nil {
		return err
	}
	_, err := m.plan(ctx, p, m.state, m.state)
	return err
}

func (m *managed) create(ctx context.Context, p *inProcess) error {
	planned, err := m.plan(ctx, p, m.none, m.config)
	if err != nil {
		return err
	}
	return m.apply(ctx, p, &tfprotov6.ApplyResourceChangeRequest{
		PriorState: m.none, PlannedState: planned.PlannedState, Config: m.config, PlannedPrivate: planned.PlannedPrivate,
		PlannedIdentity: planned.PlannedIdentity,
	})
}

// destroy doesn't plan, because Terraform does that in another command.
func (m *managed) destroy(ctx context.Context, p *inProcess) error {
	return m.apply(ctx, p, &tfprotov6.ApplyResourceChangeRequest{
		PriorState: m.state, PlannedState: m.none, Config: m.none, PlannedPrivate: m.private, PlannedIdentity: m.identity,
	})
}

func (m *managed) apply(ctx context.Context, p *inProcess, req *tfprotov6.ApplyResourceChangeRequest) error {
	req.TypeName = m.name
	resp, err := p.ApplyResourceChange(ctx, req)
	if err != nil {
		return err
	}
	m.state, m.private, m.identity = resp.NewState, resp.Private, resp.NewIdentity
	return failure(resp.Diagnostics)
}

// read refreshes the object.
func (m *managed) read(ctx context.Context, p *inProcess) error {
	resp, err := p.ReadResource(ctx, &tfprotov6.ReadResourceRequest{
		TypeName: m.name, CurrentState: m.state, Private: m.private, CurrentIdentity: m.identity,
	})
	if err != nil {
		return err
	}
	m.state, m.private, m.identity = resp.NewState, resp.Private, resp.NewIdentity
	return failure(resp.Diagnostics)
}
