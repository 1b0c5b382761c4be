package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"
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
	if missing := unsupported(c); len(missing) > 0 {
		return fmt.Errorf("this test case needs a CLI, because of %q", missing)
	}
	r := &runner{t: t, test: c, state: newState(), installed: install(c.ProtoV6ProviderFactories), reorders: true}
	defer func() { err = errors.Join(err, r.destroy()) }()
	for i, step := range c.Steps {
		r.number = i + 1
		if step.PreConfig != nil {
			step.PreConfig()
		}
		err := r.step(step)
		switch {
		case step.ExpectError == nil && err != nil:
			return fmt.Errorf("step %d/%d: %w", r.number, len(c.Steps), err)
		case step.ExpectError != nil && err == nil:
			return fmt.Errorf("step %d/%d: expected an error but got none", r.number, len(c.Steps))
		case step.ExpectError != nil && !step.ExpectError.MatchString(err.Error()):
			return fmt.Errorf("step %d/%d: expected an error with pattern (%s), no match on: %w", r.number, len(c.Steps), step.ExpectError, err)
		}
	}
	return nil
}

// supported are the fields of test cases and steps that core implements, or that have no effect without a CLI.
var supported = []string{
	"ProtoV6ProviderFactories", "Steps", "CheckDestroy", "TerraformVersionChecks",
	"PreConfig", "Config", "ConfigDirectory", "ConfigFile", "ConfigVariables", "ExpectError", "ExpectNonEmptyPlan", "PlanOnly",
	"Destroy", "Taint", "Check", "ConfigPlanChecks", "ConfigStateChecks", "PostApplyFunc",
	"ResourceName", "ImportState", "ImportStateId", "ImportStateIdFunc", "ImportStateIdPrefix", "ImportStatePersist", "ImportStateVerify",
	"ImportStateVerifyIgnore", "ImportStateVerifyIdentifierAttribute", "ImportStateCheck",
}

func unsupported(c resource.TestCase) []string {
	var missing []string
	look := func(fields reflect.Value) {
		for i := range fields.NumField() {
			if name := fields.Type().Field(i).Name; !fields.Field(i).IsZero() && !slices.Contains(supported, name) {
				missing = append(missing, name)
			}
		}
	}
	look(reflect.ValueOf(c))
	for _, step := range c.Steps {
		look(reflect.ValueOf(step))
	}
	return missing
}

// runner is what one step passes on to the next.
type runner struct {
	t      *testing.T
	test   resource.TestCase
	number int
	state  *state
	// reorders says whether plans run in several orders.
	reorders bool
	// installed are the providers of steps that don't set their own.
	installed *installed
	// module, variables and providers are those of the last step.
	module    *module
	variables config.Variables
	providers *installed
}

// command starts a command as a CLI would, with new providers.
func (r *runner) command() (*command, error) { return r.commandOn(r.state) }

func (r *runner) commandOn(s *state) (*command, error) {
	c, wrong := newCommand(r.t.Context(), r.providers, r.module, r.variables, s)
	if len(wrong) > 0 {
		return nil, wrong
	}
	return c, nil
}

// load reads the configuration of a step.
func (r *runner) load(step resource.TestStep) error {
	request := config.TestStepConfigRequest{StepNumber: r.number, TestName: r.t.Name()}
	directory, files := ".", []string{}
	var err error
	switch {
	case step.ConfigDirectory != nil:
		directory = step.ConfigDirectory.Exec(request)
		files, err = configurationFiles(directory)
	case step.ConfigFile != nil:
		files = append(files, step.ConfigFile.Exec(request))
	}
	if err != nil {
		return err
	}
	m, wrong := loadModule(directory, files, step.Config)
	if len(wrong) > 0 {
		return wrong
	}
	r.module, r.variables, r.providers = m, step.ConfigVariables, r.installed
	if len(step.ProtoV6ProviderFactories) > 0 {
		r.providers = install(step.ProtoV6ProviderFactories)
	}
	return nil
}

func (r *runner) step(step resource.TestStep) error {
	if err := r.load(step); err != nil {
		return err
	}
	if step.ImportState {
		return r.importStep(step)
	}
	for _, name := range step.Taint {
		if err := r.taint(name); err != nil {
			return err
		}
	}
	if !step.PlanOnly {
		if err := r.planAndApply(step); err != nil {
			return err
		}
	}
	// Plans without and with a refresh: what has just been applied needs no change.
	for _, noRefresh := range []bool{true, false} {
		shown, _, err := r.plan(planOptions{destroy: step.Destroy, noRefresh: noRefresh})
		if err != nil {
			return fmt.Errorf("error running the plan after the apply: %w", err)
		}
		checks := step.ConfigPlanChecks.PostApplyPostRefresh
		if noRefresh {
			checks = step.ConfigPlanChecks.PostApplyPreRefresh
		}
		if err := checkPlan(r.t.Context(), shown, checks); err != nil {
			return err
		}
		if !emptyPlan(shown) && !step.ExpectNonEmptyPlan {
			return fmt.Errorf("after applying this test step, the plan was not empty:\n%s", summary(shown))
		}
		if !noRefresh && step.ExpectNonEmptyPlan && emptyPlan(shown) {
			return errors.New("expected a non-empty plan, but got an empty one")
		}
	}
	if step.PostApplyFunc != nil {
		step.PostApplyFunc()
	}
	return nil
}

// plan runs "plan" and shows the result. A plan of instances that don't depend on each other runs in several orders, each with new
// providers, because its outcome must not depend on the order.
func (r *runner) plan(opts planOptions) (*tfjson.Plan, *plan, error) {
	c, shown, made, err := r.planIn(concurrent, opts)
	if c == nil || c.planned < 2 || !c.open || !r.reorders {
		return shown, made, err
	}
	want := outcome(shown, err, c.warnings)
	for _, in := range []order{forwards, backwards} {
		with, other, _, wrong := r.planIn(in, opts)
		if with == nil {
			return nil, nil, wrong
		}
		if got := outcome(other, wrong, with.warnings); !slices.Equal(want, got) {
			return nil, nil, fmt.Errorf("the outcome of the plan depends on the order:\n%s", cmp.Diff(want, got))
		}
	}
	return shown, made, err
}

// planIn also returns the command, unless it could not be started.
func (r *runner) planIn(in order, opts planOptions) (*command, *tfjson.Plan, *plan, error) {
	c, err := r.command()
	if err != nil {
		return nil, nil, nil, err
	}
	c.order = in
	made, wrong := c.plan(r.t.Context(), opts)
	if len(wrong) > 0 {
		return c, nil, nil, wrong
	}
	shown, err := c.showPlan(made)
	return c, shown, made, err
}

// outcome is everything that users see of a plan. The address of a problem doesn't count: which of two resources is told that they
// are in each other's way depends on the order.
func outcome(shown *tfjson.Plan, err error, warnings problems) []string {
	var lines []string
	wrong, _ := errors.AsType[problems](err)
	for severity, all := range map[string]problems{"error: ": wrong, "warning: ": warnings} {
		for _, p := range all {
			lines = append(lines, severity+p.summary+": "+p.detail)
		}
	}
	if shown != nil {
		for _, change := range shown.ResourceChanges {
			data, err := json.Marshal(change)
			lines = append(lines, string(data), fmt.Sprint(err))
		}
	}
	slices.Sort(lines)
	return lines
}

func (r *runner) planAndApply(step resource.TestStep) error {
	shown, made, err := r.plan(planOptions{destroy: step.Destroy})
	if err != nil {
		return fmt.Errorf("error running pre-apply plan: %w", err)
	}
	if err := checkPlan(r.t.Context(), shown, step.ConfigPlanChecks.PreApply); err != nil {
		return fmt.Errorf("pre-apply plan check(s) failed:\n%w", err)
	}
	if err := r.apply(made); err != nil {
		return err
	}
	shownState, err := r.show()
	if err != nil {
		return err
	}
	if step.Check != nil {
		if err := step.Check(legacyState(shownState)); err != nil {
			return fmt.Errorf("check failed: %w", err)
		}
	}
	var failed []error
	for _, check := range step.ConfigStateChecks {
		response := statecheck.CheckStateResponse{}
		check.CheckState(r.t.Context(), statecheck.CheckStateRequest{State: shownState}, &response)
		failed = append(failed, response.Error)
	}
	return errors.Join(failed...)
}

// apply runs "apply" with a saved plan. The state is kept even if the apply fails.
func (r *runner) apply(made *plan) error {
	c, err := r.command()
	if err != nil {
		return err
	}
	state, wrong := c.apply(r.t.Context(), made)
	if r.state = state; len(wrong) > 0 {
		return fmt.Errorf("error running apply: %w", wrong)
	}
	return nil
}

func (r *runner) show() (*tfjson.State, error) {
	c, err := r.command()
	if err != nil {
		return nil, err
	}
	return c.showState(r.state)
}

func (r *runner) taint(name string) error {
	for a, o := range r.state.managed() {
		if a.String() == name {
			o.tainted = true
			r.state.set(a, o)
			return nil
		}
	}
	return fmt.Errorf("there is no %s to taint", name)
}

func checkPlan(ctx context.Context, shown *tfjson.Plan, checks []plancheck.PlanCheck) error {
	var failed []error
	for _, check := range checks {
		response := plancheck.CheckPlanResponse{}
		check.CheckPlan(ctx, plancheck.CheckPlanRequest{Plan: shown}, &response)
		failed = append(failed, response.Error)
	}
	return errors.Join(failed...)
}

// destroy runs "destroy" at the end of a test.
func (r *runner) destroy() error {
	if len(r.state.objects) == 0 {
		return nil
	}
	before, err := r.show()
	if err != nil {
		return fmt.Errorf("there may be dangling resources: %w", err)
	}
	_, made, err := r.plan(planOptions{destroy: true, noRefresh: true})
	if err == nil {
		err = r.apply(made)
	}
	if err == nil && r.test.CheckDestroy != nil {
		err = r.test.CheckDestroy(legacyState(before))
	}
	if err != nil {
		return fmt.Errorf("error running post-test destroy, there may be dangling resources: %w", err)
	}
	return nil
}
