package chaos

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// operation is what one command of Terraform does with an object.
type operation struct {
	verb string
	// edit is the change of an update or a replacement.
	edit edit
	// fails: the rollout of the revision fails.
	fails bool
}

const (
	verbCreate  = "create"
	verbUpdate  = "update"
	verbReplace = "replace"
	verbImport  = "import"
	verbRefresh = "refresh"
	verbDelete  = "delete"
)

func (o operation) String() string {
	name := strings.TrimSpace(o.verb + " " + o.edit.name)
	if o.fails {
		name += ", whose rollout fails"
	}
	return name
}

// operations are those of a subject in a dialect.
func (s subject) operations(dialect string) []operation {
	var all []operation
	for _, e := range s.changes {
		verb := verbUpdate
		if e.replaces {
			verb = verbReplace
		}
		if e.onlyIn == "" || e.onlyIn == dialect {
			all = append(all, operation{verb: verb, edit: e})
		}
	}
	if s.updatesOnly {
		return all
	}
	if s.revisions {
		all = append(all, operation{verb: verbCreate, fails: true}, operation{verb: verbUpdate, edit: s.changes[0], fails: true})
	}
	all = append(all, operation{verb: verbCreate}, operation{verb: verbImport}, operation{verb: verbRefresh})
	if s.record {
		return all
	}
	return append(all, operation{verb: verbDelete})
}

// cell is one run of an operation.
type cell struct {
	*lab
	name      string
	operation operation
	config    map[string]any
	state     stored
	// before is what the service had before the operation; nil if nothing.
	before *truth
	diags  []*tfprotov6.Diagnostic
	// planned reports whether the plan of the operation succeeded, and destroyed is set if a refresh dropped the object.
	planned bool
	found   []finding

	// meanwhile is called between the plan and the apply of the operation, if not nil.
	meanwhile func()
	// intruded is what another user has done, and void means that there was nothing to do, or that the service refused it.
	intruded *intrusion
	void     bool
	// waits: the next plan may wait for the revision of another user.
	waits bool
	// blind: the operation can neither see nor name what others have done, because reads fail for longer than it looks, or because the
	// service says that it has refused what it has processed.
	blind bool
	// late: the provider's process is stopped for longer than its limits.
	late bool
	// imported: the provider has no record of what it has sent, without which it removes nothing of a resource_spec.
	imported bool
	// usual are the summaries of the warnings that the operation always has.
	usual []string
}

// stored is what the state has of the object.
type stored struct{ core.Object }

func (s stored) text(name string) string { return text(s.Attributes(), name) }

func (l *lab) newCell() *cell {
	c := &cell{lab: l, name: fmt.Sprintf("m-%05d", l.cells)}
	l.cells++
	c.config = l.subject.config(l.at)
	c.config[l.subject.keyed] = c.name
	if l.subject.seedOne != nil {
		l.subject.seedOne(l, c.name)
	}
	return c
}

// make creates the object without faults.
func (c *cell) make() {
	c.t.Helper()
	c.proxy.reset()
	if !c.apply(c.config) || len(c.diags) > 0 || len(c.found) > 0 {
		c.t.Fatalf("%s can't be created: %v%s\n%s", c.name, c.found, providertest.Told(c.diags), c.proxy.story())
	}
	c.exists()
}

func (c *cell) exists() {
	c.t.Helper()
	found := c.look(c.name)
	if len(found) != 1 {
		c.t.Fatalf("%d objects are called %s", len(found), c.name)
	}
	c.before = &found[0]
}

// prepare makes the object as a copy of the bystander, in the service and in the state, because creating each with the provider
// would take most of the time. A refresh replaces what is computed.
func (c *cell) prepare() {
	c.t.Helper()
	if c.subject.record { // The ID is the provider's own.
		c.make()
		return
	}
	done := httptest.NewRecorder()
	body := strings.ReplaceAll(string(c.template), c.bystander.name, c.name)
	c.proxy.recording.ServeHTTP(done, c.request(http.MethodPost, c.subject.createAt(c.name), []byte(body)))
	c.clock.Advance(2 * labRollout)
	c.exists()
	made, is := c.bystander.before, c.before
	pairs := []string{c.bystander.name, c.name, made.id, is.id}
	if c.subject.revisions {
		pairs = append(pairs, made.newest, is.newest)
	}
	copied, err := c.bystander.state.Copy(strings.NewReplacer(pairs...))
	if err != nil {
		c.t.Fatal(err)
	}
	c.state = stored{copied}
	if command := c.command(); command == nil || !c.refresh(command) || len(c.diags) > 0 || len(c.found) > 0 {
		c.t.Fatalf("%s can't be copied: %v%s", c.name, c.found, providertest.Told(c.diags))
	}
	if c.proved {
		return
	}
	if empty, _, what := c.emptyPlan(c.config); !empty {
		c.t.Fatalf("the copy isn't what is configured: %s%s", what, providertest.Told(c.diags))
	}
	c.proved = true
}

// makes reports whether a request is the change that an operation is about, the last one of a replacement.
func (o operation) makes(kind string) bool {
	method, _, _ := strings.Cut(kind, " ")
	switch o.verb {
	case verbCreate, verbReplace:
		return method == http.MethodPost
	case verbDelete:
		return method == http.MethodDelete
	}
	return method != http.MethodGet && method != http.MethodDelete
}

// expect prepares what happens besides the operation.
func (c *cell) expect(h happening) {
	c.proxy.skew, c.late = h.skew, h.stops > 0
	happen := func() { c.intrude(h) }
	switch {
	case h.skew != 0:
		return
	case h.stops > 0 && h.waiting:
		happen = func() { c.clock.stops.Store(int64(h.stops)) }
	case h.stops > 0:
		happen = func() { c.clock.Advance(h.stops) }
	}
	switch h.moment {
	case beforeRefresh:
		happen()
	case beforeApply:
		c.meanwhile = happen
	default:
		c.proxy.await(h.event, happen)
	}
}

// happened reports whether it did.
func (c *cell) happened(h happening) bool {
	return c.intruded != nil || h.dimension == dimensionClock && (h.skew != 0 || c.proxy.happen == nil) && c.clock.stops.Swap(0) == 0
}

// perform runs the operation.
func (c *cell) perform(o operation) {
	c.operation = o
	if o.fails {
		failure := devserver.Fault{Rollout: &devserver.RolloutFault{State: api.RevisionDeploying, Message: "It doesn't start."}}
		if err := c.server.Arm(failure); err != nil {
			c.t.Fatal(err)
		}
		defer func() {
			if status := c.call(http.MethodDelete, "/dev/faults", nil); status != http.StatusNoContent {
				c.t.Fatalf("DELETE /dev/faults: %d", status)
			}
		}()
	}
	switch o.verb {
	case verbCreate:
		c.apply(c.config)
	case verbUpdate, verbReplace:
		c.config = changed(c.config, o.edit, c.at)
		c.apply(c.config)
	case verbImport:
		c.state = stored{}
		c.importAs(c.before.idFor(c.subject))
	case verbRefresh:
		c.proxy.begin("refresh")
		if command := c.command(); command != nil {
			c.refresh(command)
		}
	case verbDelete:
		c.apply(nil)
	}
}

func (t truth) idFor(s subject) string {
	var parts []string
	for name := range strings.SplitSeq(s.imported, "/") {
		parts = append(parts, text(t.body, name))
	}
	return strings.Join(parts, "/")
}

func (c *cell) command() *core.Command {
	command, err := c.driver.Command(c.t.Context())
	if err != nil {
		c.offend(ruleCore, "the provider can't be configured: %v", err)
		return nil
	}
	return command
}

// report keeps what a call reported, and returns whether core would go on.
func (c *cell) report(o core.Outcome) bool {
	c.diags = append(c.diags, o.Diagnostics...)
	if len(o.Broken) > 0 {
		c.offend(ruleCore, "%s", strings.Join(o.Broken, "; "))
	}
	return !o.Failed()
}

// refresh reads the object, and checks that it leaves the state only if it doesn't exist.
func (c *cell) refresh(command *core.Command) bool {
	from := len(c.diags)
	now, outcome := command.Refresh(c.t.Context(), c.state.Object)
	if !c.report(outcome) {
		return false
	}
	if !now.Exists() {
		c.dropped(c.state.text("id"), c.diags[from:])
	}
	c.state = stored{now}
	return true
}

// apply plans and applies a configuration; nil destroys.
func (c *cell) apply(config map[string]any) bool {
	c.planned = false
	c.proxy.begin("plan")
	command := c.command()
	if command == nil {
		return false
	}
	if c.state.Exists() && !c.refresh(command) {
		return false
	}
	if config == nil && !c.state.Exists() {
		return true
	}
	planned, outcome := command.Plan(c.t.Context(), c.state.Object, config)
	if !c.report(outcome) {
		return false
	}
	c.planned = true
	c.wroteNothing()
	if planned.Empty() {
		return true
	}
	if c.meanwhile != nil {
		c.meanwhile()
		c.meanwhile = nil
	}
	c.proxy.begin("apply")
	if command = c.command(); command == nil {
		return false
	}
	now, outcome := command.Apply(c.t.Context(), planned)
	c.state = stored{now}
	return c.report(outcome)
}

func (c *cell) importAs(id string) bool {
	c.proxy.begin("import")
	command := c.command()
	if command == nil {
		return false
	}
	now, outcome := command.Import(c.t.Context(), id)
	if !c.report(outcome) {
		return false
	}
	c.state, c.imported = stored{now}, true
	return true
}

// emptyPlan reports whether the next plan is empty, and describes it.
func (c *cell) emptyPlan(config map[string]any) (empty, ok bool, what string) {
	c.proxy.begin("next plan")
	command := c.command()
	if command == nil || c.state.Exists() && !c.refresh(command) {
		return false, false, "the refresh failed"
	}
	planned, outcome := command.Plan(c.t.Context(), c.state.Object, config)
	if !c.report(outcome) {
		return false, false, "the plan failed"
	}
	c.wroteNothing()
	return planned.Empty(), true, planned.String()
}

// errorsIn and warningsIn are what users see of diagnostics.
func (c *cell) errorsIn() string   { return toldAs(c.diags, tfprotov6.DiagnosticSeverityError) }
func (c *cell) warningsIn() string { return toldAs(c.diags, tfprotov6.DiagnosticSeverityWarning) }

// unusual are the warnings that the operation doesn't always have.
func (c *cell) unusual() string {
	var some []*tfprotov6.Diagnostic
	for _, d := range c.diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning && !slices.Contains(c.usual, d.Summary) {
			some = append(some, d)
		}
	}
	return providertest.Told(some)
}

func toldAs(diags []*tfprotov6.Diagnostic, severity tfprotov6.DiagnosticSeverity) string {
	var some []*tfprotov6.Diagnostic
	for _, d := range diags {
		if d.Severity == severity {
			some = append(some, d)
		}
	}
	return providertest.Told(some)
}
