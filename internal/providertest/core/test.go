package core

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
)

// Test runs a test case like resource.Test, command by command, but without a CLI. Versions are not checked: core is as
// new as any of them. A test case that needs an unsupported feature fails.
func Test(t *testing.T, c resource.TestCase) {
	t.Helper()
	if err := run(t, c); err != nil {
		t.Fatal(err)
	}
}

// run destroys what is left, even if a step fails.
func run(t *testing.T, c resource.TestCase) (err error) {
	t.Helper()
	if missing := Unsupported(c); len(missing) > 0 {
		return fmt.Errorf("this test case needs a CLI, because of %q", missing)
	}
	s := NewSession(c.ProtoV6ProviderFactories)
	defer func() { err = errors.Join(err, s.end(t.Context(), c.CheckDestroy)) }()
	for i, step := range c.Steps {
		if step.PreConfig != nil {
			step.PreConfig()
		}
		err := s.step(t.Context(), step, config.TestStepConfigRequest{StepNumber: i + 1, TestName: t.Name()})
		switch {
		case step.ExpectError == nil && err != nil:
			return fmt.Errorf("step %d/%d: %w", i+1, len(c.Steps), err)
		case step.ExpectError != nil && err == nil:
			return fmt.Errorf("step %d/%d: expected an error but got none", i+1, len(c.Steps))
		case step.ExpectError != nil && !step.ExpectError.MatchString(err.Error()):
			return fmt.Errorf("step %d/%d: expected an error with pattern (%s), no match on: %w", i+1, len(c.Steps), step.ExpectError, err)
		}
	}
	return nil
}

// supported are the fields of test cases and steps that core implements, or that have no effect without a CLI.
var supported = []string{
	"ProtoV6ProviderFactories", "Steps", "CheckDestroy", "TerraformVersionChecks",
	"PreConfig", "Config", "ConfigDirectory", "ConfigVariables", "ExpectError", "ExpectNonEmptyPlan", "PlanOnly",
	"Destroy", "Taint", "Check", "ConfigPlanChecks", "ConfigStateChecks",
}

// Unsupported returns the fields of a test case and its steps that need a CLI.
func Unsupported(c resource.TestCase) []string {
	var missing []string
	if len(c.ProtoV6ProviderFactories) != 1 {
		missing = append(missing, "ProtoV6ProviderFactories")
	}
	check := func(fields reflect.Value) {
		for i := range fields.NumField() {
			if name := fields.Type().Field(i).Name; !fields.Field(i).IsZero() && !slices.Contains(supported, name) {
				missing = append(missing, name)
			}
		}
	}
	check(reflect.ValueOf(c))
	for _, step := range c.Steps {
		check(reflect.ValueOf(step))
	}
	return missing
}

func (s *Session) step(ctx context.Context, step resource.TestStep, request config.TestStepConfigRequest) (err error) {
	source := step.Config
	if step.ConfigDirectory != nil {
		if source, err = readModule(step.ConfigDirectory.Exec(request)); err != nil {
			return err
		}
	}
	if s.module, err = parseModule(source, step.ConfigVariables); err != nil {
		return err
	}
	for _, at := range step.Taint {
		s.state.objects[at] = s.state.objects[at].Taint()
	}
	if !step.PlanOnly {
		if err := s.change(ctx, step); err != nil {
			return err
		}
	}
	// Plans without and with a refresh: what has just been applied needs no change.
	after := step.ConfigPlanChecks
	for i, checks := range [][]plancheck.PlanCheck{after.PostApplyPreRefresh, after.PostApplyPostRefresh} {
		refresh := i == 1
		planned, err := s.plan(ctx, step.Destroy, refresh)
		if err != nil {
			return fmt.Errorf("error running the plan after the apply: %w", err)
		}
		if err := planned.check(ctx, checks); err != nil {
			return err
		}
		changes := planned.pending()
		if changes != "" && !step.ExpectNonEmptyPlan {
			return fmt.Errorf("after applying this test step, the plan was not empty:\n%s", changes)
		}
		if refresh && step.ExpectNonEmptyPlan && changes == "" {
			return errors.New("expected a non-empty plan, but got an empty one")
		}
	}
	return nil
}

func (s *Session) change(ctx context.Context, step resource.TestStep) error {
	planned, err := s.plan(ctx, step.Destroy, true)
	if err != nil {
		return fmt.Errorf("error running pre-apply plan: %w", err)
	}
	if err := planned.check(ctx, step.ConfigPlanChecks.PreApply); err != nil {
		return fmt.Errorf("pre-apply plan check(s) failed:\n%w", err)
	}
	if err := s.apply(ctx, planned); err != nil {
		return err
	}
	if step.Check != nil {
		if err := step.Check(s.state.legacy()); err != nil {
			return fmt.Errorf("check failed: %w", err)
		}
	}
	var failed []error
	for _, check := range step.ConfigStateChecks {
		response := statecheck.CheckStateResponse{}
		check.CheckState(ctx, statecheck.CheckStateRequest{State: s.state.show()}, &response)
		failed = append(failed, response.Error)
	}
	return errors.Join(failed...)
}

func (p *plan) check(ctx context.Context, checks []plancheck.PlanCheck) error {
	var failed []error
	for _, check := range checks {
		response := plancheck.CheckPlanResponse{}
		check.CheckPlan(ctx, plancheck.CheckPlanRequest{Plan: p.show()}, &response)
		failed = append(failed, response.Error)
	}
	return errors.Join(failed...)
}

// end destroys what a test has left.
func (s *Session) end(ctx context.Context, check resource.TestCheckFunc) error {
	if len(s.state.objects) == 0 {
		return nil
	}
	before := s.state.legacy()
	err := s.Destroy(ctx)
	if err == nil && check != nil {
		err = check(before)
	}
	if err != nil {
		return fmt.Errorf("error running post-test destroy, there may be dangling resources: %w", err)
	}
	return nil
}
