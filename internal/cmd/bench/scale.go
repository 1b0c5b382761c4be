package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// phase is a command whose time is measured.
type phase struct {
	name string
	args []string
	// repeats says that the command changes nothing, so that it can be measured repeatedly.
	repeats bool
}

// The phases, in order.
const (
	planCreate = "plan new"
	apply      = "apply"
	planAgain  = "plan"
	planOnly   = "plan, no refresh"
	planChange = "plan changed"
	destroy    = "destroy"
)

// phases separates the plan from the apply, and verifies that the plans of existing resources are empty.
var phases = []phase{
	{planCreate, []string{"plan", "-out=saved.tfplan"}, false},
	{apply, []string{"apply", "saved.tfplan"}, false},
	{planAgain, []string{"plan", "-detailed-exitcode"}, true},
	{planOnly, []string{"plan", "-refresh=false", "-detailed-exitcode"}, true},
	{planChange, []string{"plan", "-var=revision=2"}, true},
	{destroy, []string{"destroy", "-auto-approve"}, false},
}

// A quick command that changes nothing runs several times; its median counts.
const (
	repetitions = 3
	quick       = 5 * time.Second
)

// measurement is the effort of a phase for a number of resources.
type measurement struct {
	subject  string
	amount   int
	phase    string
	effort   effort
	requests int
}

// measurements are those of all subjects, numbers of resources and phases.
type measurements []measurement

// of returns one of them; if it was not measured, it is zero.
func (m measurements) of(subject string, amount int, phase string) measurement {
	i := slices.IndexFunc(m, func(m measurement) bool { return m.subject == subject && m.amount == amount && m.phase == phase })
	if i < 0 {
		return measurement{}
	}
	return m[i]
}

// measureScale creates, plans and destroys a number of resources of a subject, on a separate dev server. The state of ours is kept for
// the pass-through provider.
func measureScale(ctx context.Context, b *bench, s subject, amount int) (all measurements, err error) {
	p, err := newPlane(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	recorded := filepath.Join(b.tools.dir, fmt.Sprintf("%d.tfstate", amount))
	cli, err := b.tools.terraform(ctx, s, append(p.environ(), fmt.Sprintf("TF_VAR_amount=%d", amount), "PASSTHROUGH_STATE="+recorded))
	if err != nil {
		return nil, err
	}
	for _, phase := range phases {
		var efforts []effort
		for len(efforts) == 0 || phase.repeats && len(efforts) < repetitions && efforts[0].wall < quick {
			p.seen()
			e, err := cli.run(ctx, append(phase.args, "-no-color")...)
			if err != nil {
				return nil, fmt.Errorf("%s of %d × %s: %w", phase.name, amount, s.name, err)
			}
			efforts = append(efforts, e)
		}
		m := measurement{s.name, amount, phase.name, middle(efforts), p.seen()}
		fmt.Fprintf(b.progress, "%d × %s: %s %s s\n", amount, s.name, phase.name, seconds(m.effort.wall))
		all = append(all, m)
		if s.name == ours && phase.name == apply {
			state, err := os.ReadFile(filepath.Join(cli.dir, "terraform.tfstate"))
			if err := errors.Join(err, os.WriteFile(recorded, state, 0o600)); err != nil { //nolint:gosec // The benchmark's own directory.
				return nil, err
			}
		}
	}
	return all, nil
}

// middle returns the effort with the median time, and the highest peaks.
func middle(efforts []effort) effort {
	slices.SortFunc(efforts, func(a, b effort) int { return int(a.wall - b.wall) })
	m := efforts[len(efforts)/2]
	for _, e := range efforts {
		m.cliPeak, m.pluginPeak = max(m.cliPeak, e.cliPeak), max(m.pluginPeak, e.pluginPeak)
	}
	return m
}
