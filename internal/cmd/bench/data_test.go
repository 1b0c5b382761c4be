package bench

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// dataSource is a data source that reads some number of items.
type dataSource struct {
	name string
	// list is the attribute with the items.
	list string
	// amounts are the numbers of items that are read, in ascending order.
	amounts []int
	// requests is how many requests a read of 300 items takes.
	requests int
	// fill adds items to a dev server until it has the given number, and returns the configuration that reads them all.
	fill func(ctx context.Context, p *plane, have, amount int) (object, error)
}

var dataSources = []dataSource{
	{"agentplane_runs", "runs", []int{300, 1_200, 10_000}, 2, fillRuns},
	{"agentplane_deployments", "deployments", []int{100, 300, 1_000}, 4, fillDeployments},
	{"agentplane_deployment_revisions", "revisions", []int{300, 1_200, 10_000}, 4, fillRevisions},
	{"agentplane_integration_repositories", "repositories", []int{100, 300, 1_000}, 1, fillRepositories},
}

// BenchmarkDataSources reads each data source with a new provider, over the plugin protocol in this process.
func BenchmarkDataSources(b *testing.B) {
	for _, d := range dataSources {
		b.Run("source="+d.name, func(b *testing.B) {
			p, have := startPlane(b), 0
			for _, amount := range d.amounts {
				config, err := d.fill(b.Context(), p, have, amount)
				if err != nil {
					b.Fatal(err)
				}
				have = amount
				b.Run(fmt.Sprintf("items=%d", amount), func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						read, items := d.reader(b, p, config)
						b.StartTimer()
						state := read()
						b.StopTimer()
						if got := items(state); got != amount {
							b.Fatalf("the data source has %d items, want %d", got, amount)
						}
						b.StartTimer()
					}
					b.ReportMetric(float64(p.seen()), "requests")
				})
			}
		})
	}
}

// TestDataSources_requests reads 300 items of each data source.
func TestDataSources_requests(t *testing.T) {
	t.Parallel()
	for _, d := range dataSources {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			const amount = 300
			p := startPlane(t)
			config, err := d.fill(t.Context(), p, 0, amount)
			if err != nil {
				t.Fatal(err)
			}
			read, items := d.reader(t, p, config)
			got, requests := items(read()), p.seen()
			if got != amount || requests != d.requests {
				t.Errorf("%d items with %d requests, want %d with %d", got, requests, amount, d.requests)
			}
		})
	}
}

// reader returns a function that reads the data source with a new provider, and one that returns the number of items in what it read.
func (d dataSource) reader(t testing.TB, p *plane, config object) (read func() *tfprotov6.DynamicValue, items func(*tfprotov6.DynamicValue) int) {
	t.Helper()
	agentplane, err := newInProcess(t.Context(), p.environment())
	if err != nil {
		t.Fatal(err)
	}
	as := agentplane.schema.DataSourceSchemas[d.name].ValueType()
	value, err := newValue(as, config)
	if err != nil {
		t.Fatal(err)
	}
	p.seen()
	read = func() *tfprotov6.DynamicValue {
		state, err := agentplane.readDataSource(t.Context(), d.name, value)
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	items = func(state *tfprotov6.DynamicValue) int {
		var attributes map[string]tftypes.Value
		var list []tftypes.Value
		value, err := state.Unmarshal(as)
		if err := errors.Join(err, value.As(&attributes)); err != nil {
			t.Fatal(err)
		}
		if err := attributes[d.list].As(&list); err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	return read, items
}
