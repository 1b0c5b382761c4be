package provider_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// leastWrong is how many mistakes the tables have at least, for each dialect.
const leastWrong = 300

// TestAccWrongConfigurations_unraced makes each mistake of the tables once, in a configuration that is right: the provider tells of
// it, and of nothing else, on the attribute, before anything is written.
func TestAccWrongConfigurations_unraced(t *testing.T) {
	t.Parallel()
	providertest.EachDialect(t, func(t *testing.T) {
		plane := providertest.NewDev(t)
		plane.Call(http.MethodPost, "/v2/listeners", map[string]any{
			"compute_type": "k8s", "compute_id": "empty", "compute_config": map[string]any{"k8s_namespaces": []string{}},
		}, nil)
		plane.Call(http.MethodPost, "/v2/auth/providers", map[string]any{
			"provider_id": "calendar", "name": "Calendar", "client_id": "c", "auth_url": "https://login.example.com/authorize",
			"token_url": "https://login.example.com/token",
		}, nil)
		before := writes(plane)
		tables, count := readTables(t, map[string]string{
			"listener_id": plane.ListenerID, "k8s_namespace": plane.K8sNamespace, "integration_id": plane.IntegrationID,
			"missing": "99999999-2222-4333-8444-555555555555",
		}), 0
		p := &asker{plane.RPC(), t}
		for _, table := range tables {
			if table.dialect != "" && table.dialect != plane.Dialect().Name {
				continue
			}
			count += len(table.cases)
			right := p.ask
			if table.kind == "data" || table.kind == "action" { // What it names doesn't exist.
				right = p.validate
			}
			if diags := right(table, table.right); len(diags) > 0 {
				t.Errorf("the right %s is wrong: %s", table.typeName, providertest.Told(diags))
			}
			for _, c := range table.cases {
				if problem := c.differs(p.ask(table, c.config)); problem != "" {
					t.Errorf("%s: %s\n%s", table.typeName, c.title, problem)
				}
			}
		}
		t.Logf("%d mistakes", count)
		if count < leastWrong {
			t.Errorf("there are %d mistakes, want %d at least", count, leastWrong)
		}
		if after := writes(plane); after != before {
			t.Errorf("%d requests were sent that write", after-before)
		}
	})
}

// writes counts the requests that change something.
func writes(plane *providertest.Plane) int {
	count := 0
	for _, r := range plane.Server.Requests() {
		if r.Method != http.MethodGet && !strings.HasSuffix(r.Path, "/query") {
			count++
		}
	}
	return count
}

// differs says how diagnostics are not those that are wanted.
func (c wrongCase) differs(diags []*tfprotov6.Diagnostic) string {
	var want, got []string
	for _, w := range c.want {
		want = append(want, w.String())
	}
	for _, d := range diags {
		got = append(got, toldOf{severity: d.Severity.String(), at: written(d.Attribute)}.String())
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		return fmt.Sprintf("want %q\ngot  %s", want, providertest.Told(diags))
	}
	for _, w := range c.want {
		if !slices.ContainsFunc(diags, func(d *tfprotov6.Diagnostic) bool {
			return written(d.Attribute) == w.at && strings.Contains(d.Summary+": "+d.Detail, w.words)
		}) {
			return fmt.Sprintf("want %q in %s", w.words, providertest.Told(diags))
		}
	}
	return ""
}

// written is a path as configurations have it.
func written(at *tftypes.AttributePath) string {
	var b strings.Builder
	for _, step := range at.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(string(step))
		case tftypes.ElementKeyString:
			fmt.Fprintf(&b, "[%q]", string(step))
		case tftypes.ElementKeyInt:
			fmt.Fprintf(&b, "[%d]", int64(step))
		case tftypes.ElementKeyValue:
			var text string
			_ = tftypes.Value(step).As(&text)
			fmt.Fprintf(&b, "[%q]", text)
		}
	}
	return b.String()
}

// asker asks the provider what is wrong with a configuration.
type asker struct {
	*providertest.RPC
	t *testing.T
}

// ask validates a configuration, and where nothing is wrong then, plans by it or reads.
func (p *asker) ask(table wrongTable, config map[string]any) []*tfprotov6.Diagnostic {
	p.t.Helper()
	diags := p.validate(table, config)
	if slices.ContainsFunc(diags, isError) {
		return diags
	}
	more, err := p.proceed(table, config)
	if err != nil {
		p.t.Fatalf("%s %v: %v", table.typeName, config, err)
	}
	if table.kind == "action" { // It repeats the warnings, because Terraform validates before variables are known.
		return more
	}
	return append(diags, more...)
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

func (p *asker) validate(table wrongTable, config map[string]any) []*tfprotov6.Diagnostic {
	p.t.Helper()
	diags, err := p.validation(table, config)
	if err != nil {
		p.t.Fatalf("%s %v: %v", table.typeName, config, err)
	}
	return diags
}

func (p *asker) validation(table wrongTable, config map[string]any) ([]*tfprotov6.Diagnostic, error) {
	ctx, value := context.Background(), p.Value(config)
	switch table.kind {
	case "provider":
		resp, err := p.Server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: value})
		return resp.Diagnostics, err
	case "data":
		resp, err := p.Server.ValidateDataResourceConfig(ctx, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: table.typeName, Config: value})
		return resp.Diagnostics, err
	case "list":
		server, _ := p.Server.(tfprotov6.ProviderServerWithListResource) //nolint:staticcheck // The protocol's own way to ask.
		resp, err := server.ValidateListResourceConfig(ctx, &tfprotov6.ValidateListResourceConfigRequest{TypeName: table.typeName, Config: value})
		return resp.Diagnostics, err
	case "action":
		server, _ := p.Server.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // The protocol's own way to ask.
		resp, err := server.ValidateActionConfig(ctx, &tfprotov6.ValidateActionConfigRequest{ActionType: table.typeName, Config: value})
		return resp.Diagnostics, err
	}
	resp, err := p.Server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: table.typeName, Config: value,
		ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	return resp.Diagnostics, err
}

// proceed plans a new resource or an action, reads a data source, or configures another provider.
func (p *asker) proceed(table wrongTable, config map[string]any) ([]*tfprotov6.Diagnostic, error) {
	ctx, value := context.Background(), p.Value(config)
	switch table.kind {
	case "provider":
		return start(p.t, nil).configure(config), nil
	case "resource": // In a plan of its own.
		configured, err := p.Server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: p.Value(map[string]any{})})
		if err != nil || len(configured.Diagnostics) > 0 {
			return configured.Diagnostics, err
		}
		resp, err := p.Server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
			TypeName: table.typeName, Config: value, ProposedNewState: value, PriorState: &tfprotov6.DynamicValue{JSON: []byte("null")},
		})
		return resp.Diagnostics, err
	case "data":
		resp, err := p.Server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: table.typeName, Config: value})
		return resp.Diagnostics, err
	case "action":
		server, _ := p.Server.(tfprotov6.ProviderServerWithActions) //nolint:staticcheck // The protocol's own way to ask.
		resp, err := server.PlanAction(ctx, &tfprotov6.PlanActionRequest{ActionType: table.typeName, Config: value})
		return resp.Diagnostics, err
	}
	return nil, nil
}
