package main

import (
	"context"
	"fmt"
	"strconv"
)

// printScale measures every subject with every number of resources.
func printScale(ctx context.Context, b *bench) error {
	var all measurements
	for _, amount := range b.sizes {
		for _, s := range subjects {
			measured, err := measureScale(ctx, b, s, amount)
			if err != nil {
				return err
			}
			all = append(all, measured...)
		}
	}
	b.printf("Resources: seconds of each command, CPU seconds of the second plan (CLI and provider), and peak memory of any command\n\n%s\n",
		timesTable(all, b.sizes))
	b.printf("A deployment has 10 environment values, 5 secrets and 8 numbers of resource_spec. The minimal resource has ten strings. The "+
		"pass-through provider has the\nschemas and the process settings of the real one and does nothing, except that the attributes that it computes are those "+
		"of the real one.\nThe apply is that of a saved plan; a plan that took less than %s is the median of %d. A changed plan changes an attribute of "+
		"every resource.\nThe dev server shares the cores. Its rollouts take no time and waits poll immediately, so no command waits for the service.\n\n",
		quick, repetitions)
	b.printf("Ratios: %s to the others, by time and, for the second plan, also by CPU time\n\n%s\n", ours, ratiosTable(all, b.sizes))
	b.printf("Requests of %s\n\n%s\n", ours, requestsTable(all, b.sizes))
	if len(b.sizes) > 1 {
		b.printf("Growth: the exponent of the second plan's time between two amounts\n\n%s\n", growthTable(all, b.sizes))
	}
	return nil
}

// phaseNames are the column titles of the phases.
func phaseNames() []string {
	names := make([]string, len(phases))
	for i, p := range phases {
		names[i] = p.name
	}
	return names
}

func timesTable(all measurements, sizes []int) string {
	t := table{header: append(append([]string{"resource", "N"}, phaseNames()...), "plan CPU", "provider's CPU", "provider MB", "CLI MB")}
	for _, amount := range sizes {
		for _, s := range subjects {
			row := []string{s.name, strconv.Itoa(amount)}
			var peaks usage
			for _, phase := range phaseNames() {
				e := all.of(s.name, amount, phase).effort
				peaks.cliPeak, peaks.pluginPeak = max(peaks.cliPeak, e.cliPeak), max(peaks.pluginPeak, e.pluginPeak)
				row = append(row, seconds(e.wall))
			}
			plan := all.of(s.name, amount, planAgain).effort
			row = append(row, seconds(plan.cpu), pluginCPU(plan), megabytes(peaks.pluginPeak), megabytes(peaks.cliPeak))
			t.add(row...)
		}
	}
	return t.String()
}

// pluginCPU is known if the memory of the plugin is.
func pluginCPU(e effort) string {
	if e.pluginPeak == 0 {
		return nothing
	}
	return seconds(e.pluginCPU)
}

func ratiosTable(all measurements, sizes []int) string {
	t := table{header: append(append([]string{"compared with", "N"}, phaseNames()...), "plan CPU")}
	for _, amount := range sizes {
		for _, s := range subjects {
			if s.name == ours {
				continue
			}
			row := []string{s.name, strconv.Itoa(amount)}
			for _, phase := range phaseNames() {
				row = append(row, decimals(ratio(all.of(ours, amount, phase).effort.wall, all.of(s.name, amount, phase).effort.wall), 1))
			}
			cpu := ratio(all.of(ours, amount, planAgain).effort.cpu, all.of(s.name, amount, planAgain).effort.cpu)
			t.add(append(row, decimals(cpu, 1))...)
		}
	}
	return t.String()
}

func requestsTable(all measurements, sizes []int) string {
	t := table{header: append([]string{"N"}, phaseNames()...)}
	for _, amount := range sizes {
		row := []string{strconv.Itoa(amount)}
		for _, phase := range phaseNames() {
			row = append(row, strconv.Itoa(all.of(ours, amount, phase).requests))
		}
		t.add(row...)
	}
	return t.String()
}

// growthTable compares each number with the previous one. Small numbers mostly measure the start of a program.
func growthTable(all measurements, sizes []int) string {
	t := table{header: []string{"resource"}}
	for i := range sizes[1:] {
		t.header = append(t.header, fmt.Sprintf("%d → %d", sizes[i], sizes[i+1]))
	}
	for _, s := range subjects {
		row := []string{s.name}
		for i := range sizes[1:] {
			from, to := all.of(s.name, sizes[i], planAgain), all.of(s.name, sizes[i+1], planAgain)
			row = append(row, decimals(growth(point{from.amount, from.effort.wall}, point{to.amount, to.effort.wall}), 2))
		}
		t.add(row...)
	}
	return t.String()
}
