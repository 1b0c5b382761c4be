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
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
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
	s := NewSession(t, c.ProtoV6ProviderFactories)
	s.reorders = true
	defer func() { err = errors.Join(err, s.destroy(c.CheckDestroy)) }()
	for i, step := range c.Steps {
		if step.PreConfig != nil {
			step.PreConfig()
		}
		err := s.step(step, config.TestStepConfigRequest{StepNumber: i + 1, TestName: t.Name()})
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
	"Destroy", "Taint", "Check", "ConfigPlanChecks", "ConfigStateChecks", "PostApplyFunc",
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

// Session runs commands one after another on its own state, for tests that can't know in advance which command fails.
// The state survives failures, as with a CLI.
type Session struct {
	t        *testing.T
	provider *installed
	state    state
	planned  *plan
	// reorders says that plans run in several orders.
	reorders  bool
	module    *module
	variables config.Variables
}

// NewSession begins with an empty state. Every command starts a new provider process.
func NewSession(t *testing.T, factories map[string]func() (tfprotov6.ProviderServer, error)) *Session {
	t.Helper()
	s := &Session{t: t}
	for _, start := range factories {
		s.provider = &installed{start: start}
	}
	return s
}

// Configure replaces the configuration.
func (s *Session) Configure(source string) (err error) {
	s.module, err = parseModule(source)
	return err
}

// command starts a command as a CLI would.
func (s *Session) command(in order) (*command, error) {
	c, wrong := newCommand(s.t.Context(), s.provider, s.module, s.variables, s.state)
	if len(wrong) > 0 {
		return nil, wrong
	}
	c.order = in
	return c, nil
}

// Plan runs "plan", or "plan -destroy", for the next Apply.
func (s *Session) Plan(destroy bool) (*tfjson.Plan, error) { return s.plan(destroy, true) }

// plan runs "plan" and shows the result. A plan of resources that don't depend on each other runs in several orders, each with a new
// provider, because its outcome must not depend on the order.
func (s *Session) plan(destroy, refresh bool) (*tfjson.Plan, error) {
	c, shown, err := s.planIn(concurrent, destroy, refresh)
	if c == nil || !c.open || !s.reorders {
		return shown, err
	}
	want, made := outcome(c, shown, err), s.planned
	for _, in := range []order{forwards, backwards} {
		c, again, err := s.planIn(in, destroy, refresh)
		if c == nil {
			return nil, err
		}
		if got := outcome(c, again, err); !slices.Equal(want, got) {
			return nil, fmt.Errorf("the outcome of the plan depends on the order:\n%s", cmp.Diff(want, got))
		}
	}
	s.planned = made
	return shown, err
}

// planIn also returns the command, unless it could not be started.
func (s *Session) planIn(in order, destroy, refresh bool) (*command, *tfjson.Plan, error) {
	s.planned = nil
	c, err := s.command(in)
	if err != nil {
		return nil, nil, err
	}
	made, wrong := c.plan(s.t.Context(), destroy, refresh)
	if len(wrong) > 0 {
		return c, nil, wrong
	}
	s.planned = made
	return c, made.show(s.state.outputs), nil
}

// outcome is everything that users see of a plan. The address of a problem doesn't count: which of two resources is told that they
// are in each other's way depends on the order.
func outcome(c *command, shown *tfjson.Plan, err error) []string {
	var lines []string
	wrong, _ := errors.AsType[problems](err)
	for severity, all := range map[string]problems{"error: ": wrong, "warning: ": c.warnings} {
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

// Apply runs "apply" with the plan of the last Plan. The state is kept even if the apply fails.
func (s *Session) Apply() error {
	if s.planned == nil {
		return errors.New("there is no plan to apply")
	}
	made := s.planned
	s.planned, s.state.objects = nil, made.prior.objects
	c, err := s.command(concurrent)
	if err != nil {
		return err
	}
	left, wrong := c.apply(s.t.Context(), made)
	if s.state = left; len(wrong) > 0 {
		return fmt.Errorf("error running apply: %w", wrong)
	}
	return nil
}

// State runs "show", which can fail with a CLI.
func (s *Session) State() (*tfjson.State, error) { return s.state.show(), nil }

func (s *Session) step(step resource.TestStep, request config.TestStepConfigRequest) (err error) {
	if step.ConfigDirectory != nil {
		s.module, err = loadModule(step.ConfigDirectory.Exec(request))
	} else {
		s.module, err = parseModule(step.Config)
	}
	if err != nil {
		return err
	}
	s.variables = step.ConfigVariables
	for a, o := range s.state.objects {
		if slices.Contains(step.Taint, a.String()) {
			o.tainted = true
			s.state.objects[a] = o
		}
	}
	if !step.PlanOnly {
		if err := s.planAndApply(step); err != nil {
			return err
		}
	}
	// Plans without and with a refresh: what has just been applied needs no change.
	for _, refresh := range []bool{false, true} {
		shown, err := s.plan(step.Destroy, refresh)
		if err != nil {
			return fmt.Errorf("error running the plan after the apply: %w", err)
		}
		checks := step.ConfigPlanChecks.PostApplyPreRefresh
		if refresh {
			checks = step.ConfigPlanChecks.PostApplyPostRefresh
		}
		if err := checkPlan(s.t.Context(), shown, checks); err != nil {
			return err
		}
		changes := pending(shown)
		if changes != "" && !step.ExpectNonEmptyPlan {
			return fmt.Errorf("after applying this test step, the plan was not empty:\n%s", changes)
		}
		if refresh && step.ExpectNonEmptyPlan && changes == "" {
			return errors.New("expected a non-empty plan, but got an empty one")
		}
	}
	if step.PostApplyFunc != nil {
		step.PostApplyFunc()
	}
	return nil
}

func (s *Session) planAndApply(step resource.TestStep) error {
	shown, err := s.plan(step.Destroy, true)
	if err != nil {
		return fmt.Errorf("error running pre-apply plan: %w", err)
	}
	if err := checkPlan(s.t.Context(), shown, step.ConfigPlanChecks.PreApply); err != nil {
		return fmt.Errorf("pre-apply plan check(s) failed:\n%w", err)
	}
	if err := s.Apply(); err != nil {
		return err
	}
	if step.Check != nil {
		if err := step.Check(legacy(s.state.show())); err != nil {
			return fmt.Errorf("check failed: %w", err)
		}
	}
	var failed []error
	for _, check := range step.ConfigStateChecks {
		response := statecheck.CheckStateResponse{}
		check.CheckState(s.t.Context(), statecheck.CheckStateRequest{State: s.state.show()}, &response)
		failed = append(failed, response.Error)
	}
	return errors.Join(failed...)
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
func (s *Session) destroy(check resource.TestCheckFunc) error {
	if len(s.state.objects) == 0 {
		return nil
	}
	before := s.state.show()
	_, err := s.plan(true, false)
	if err == nil {
		err = s.Apply()
	}
	if err == nil && check != nil {
		err = check(legacy(before))
	}
	if err != nil {
		return fmt.Errorf("error running post-test destroy, there may be dangling resources: %w", err)
	}
	return nil
}
