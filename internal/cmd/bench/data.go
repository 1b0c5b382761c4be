package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// patience is the maximum expected duration of reading a data source; reads expected to take longer are left out.
const patience = 60 * time.Second

// gcPercent is the provider's own setting.
const gcPercent = 400

// dataSource is a data source whose time is measured for several numbers of items, in ascending order.
type dataSource struct {
	name string
	// list is the attribute with the items.
	list    string
	amounts []int
	// fill adds items to a dev server until it has the given number, and returns the configuration that reads them all.
	fill func(ctx context.Context, p *plane, have, amount int) (object, error)
}

var dataSources = []dataSource{
	{"agentplane_runs", "runs", []int{300, 1_200, 10_000}, fillRuns},
	{"agentplane_deployments", "deployments", []int{100, 300, 1_000}, fillDeployments},
	{"agentplane_deployment_revisions", "revisions", []int{300, 1_200, 10_000}, fillRevisions},
	{"agentplane_integration_repositories", "repositories", []int{100, 300, 1_000}, fillRepositories},
}

// printDataSources measures how the time of data sources grows with the amount of data.
func printDataSources(ctx context.Context, b *bench) error {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	t := table{header: []string{"data source", "items", "seconds", "requests", "growth"}}
	for _, d := range dataSources {
		if err := measureDataSource(ctx, b, d, &t); err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
	}
	b.printf("Data sources: validated and read once, over the plugin protocol in this process, without a CLI; growth is relative to the previous row. "+
		"Reads expected to take\nmore than %s are left out\n\n%s\n", patience, &t)
	return nil
}

// measureDataSource adds a row for each number of items.
func measureDataSource(ctx context.Context, b *bench, d dataSource, t *table) (err error) {
	p, err := newPlane(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	var measured []point
	have := 0
	for _, amount := range d.amounts {
		if expected := extrapolate(measured, amount); expected > patience {
			t.add(d.name, strconv.Itoa(amount), fmt.Sprintf("about %.0f expected", expected.Seconds()), nothing, nothing)
			continue
		}
		config, err := d.fill(ctx, p, have, amount)
		if err != nil {
			return err
		}
		have = amount
		took, requests, err := d.read(ctx, p, config, amount)
		if err != nil {
			return err
		}
		fmt.Fprintf(b.progress, "%d × %s: %s s\n", amount, d.name, seconds(took))
		measured = append(measured, point{amount, took})
		exponent := nothing
		if len(measured) > 1 {
			exponent = decimals(growth(measured[len(measured)-2], measured[len(measured)-1]), 2)
		}
		t.add(d.name, strconv.Itoa(amount), seconds(took), strconv.Itoa(requests), exponent)
	}
	return nil
}

// read reads the data source with a new provider and verifies that all items are present.
func (d dataSource) read(ctx context.Context, p *plane, config object, amount int) (took time.Duration, requests int, err error) {
	agentplane, err := newInProcess(ctx, p.environment())
	if err != nil {
		return 0, 0, err
	}
	as := agentplane.schema.DataSourceSchemas[d.name].ValueType()
	value, err := newValue(as, config)
	if err != nil {
		return 0, 0, err
	}
	p.seen()
	began := time.Now()
	state, err := agentplane.readDataSource(ctx, d.name, value)
	took, requests = time.Since(began), p.seen()
	if err != nil {
		return took, requests, err
	}
	items, err := length(state, as, d.list)
	if err == nil && items != amount {
		err = fmt.Errorf("%s has %d items, want %d", d.list, items, amount)
	}
	return took, requests, err
}

// length returns how many elements a list in a state has.
func length(state *tfprotov6.DynamicValue, as tftypes.Type, name string) (int, error) {
	value, err := state.Unmarshal(as)
	if err != nil {
		return 0, err
	}
	var attributes map[string]tftypes.Value
	if err := value.As(&attributes); err != nil {
		return 0, err
	}
	var elements []tftypes.Value
	err = attributes[name].As(&elements)
	return len(elements), err
}
