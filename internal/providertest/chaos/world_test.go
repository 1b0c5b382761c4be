package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/provider"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest/core"
)

// terraform runs commands one after another on one state.
type terraform interface {
	Configure(source string) error
	Plan(destroy bool) (*tfjson.Plan, error)
	Apply() error
	State() (*tfjson.State, error)
	Import(address, id string) error
}

// world is a control plane of its own, and a configuration of some objects in it.
type world struct {
	t         *testing.T
	number    int
	random    *rand.Rand
	service   *service
	proxy     *proxy
	terraform terraform
	tally     *tally
	hides     hiding
	rate      float64

	wanted []object
	// disturbed means that the next plan may contain changes: another user has changed something since the last one, or an
	// apply has warned of them.
	disturbed atomic.Bool
	// named are the objects outside the state that an error has named, by key.
	named map[string]bool
	// known are the ids in the state before the last command.
	known map[string]bool
}

// changeSets is how often a configuration changes, and attempts how often an apply is tried under faults until they end.
const (
	changeSets = 3
	attempts   = 2
)

func newWorld(t *testing.T, seed uint64, number int, contents contents, rate float64, total *tally) *world {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, uint64(number))) //nolint:gosec // Nothing secret, and no negative numbers.
	dialect := api.Dialects[number%len(api.Dialects)]
	w := &world{
		t: t, number: number, random: random, service: newService(t, dialect), tally: total, hides: pick(random, tells, tells, masks, omits), rate: rate,
		named: map[string]bool{},
	}
	w.proxy = newProxy(w.service, fmt.Sprint(seed, " ", number), w.hides, total)
	w.proxy.meanwhile = w.meanwhile
	listening := httptest.NewServer(w.proxy)
	t.Cleanup(listening.Close)
	environment := map[string]string{
		"AGENTPLANE_BASE_URL": listening.URL, "AGENTPLANE_API_KEY": providertest.APIKey, "AGENTPLANE_DIALECT": dialect.Name,
		"AGENTPLANE_WORKSPACE_ID": providertest.WorkspaceID, "AGENTPLANE_REQUEST_TIMEOUT": "2s",
	}
	server := provider.NewServer("test", providertest.Compared(t), provider.WithClock(w.service.clock),
		provider.WithEnvironment(func(name string) string { return environment[name] }))
	started := func() (tfprotov6.ProviderServer, error) { return server(), nil }
	if os.Getenv("AGENTPLANE_TEST_CLI") != "" {
		w.terraform = newCLI(t, started)
	} else {
		w.terraform = core.NewSession(t, map[string]func() (tfprotov6.ProviderServer, error){"agentplane": started})
	}
	w.wanted = contents(random, w.service, w.hides)
	for _, o := range w.wanted {
		if !slices.Contains(w.service.kinds, o.kind()) {
			w.service.kinds = append(w.service.kinds, o.kind())
		}
	}
	return w
}

// live creates, changes and destroys the objects.
func (w *world) live() {
	for set := range 1 + changeSets {
		before := map[string]object{}
		for _, o := range w.wanted {
			before[o.block()] = o.clone()
			if set > 0 {
				o.change(w.random)
			}
		}
		meddles, meanwhile := set > 0 && chance(w.random, 0.3), set > 0 && chance(w.random, 0.2)
		if meddles {
			w.meddle(w.random, pick(w.random, w.wanted...), false)
			w.waitForLost()
		}
		w.converge(fmt.Sprint("set ", set), before, meanwhile)
		if w.t.Failed() {
			return
		}
	}
	w.wanted = nil
	w.converge("destroy", nil, false)
}

// meddle lets another user change one of the objects.
func (w *world) meddle(random *rand.Rand, o object, meanwhile bool) {
	for _, f := range w.service.current() {
		if o.owns(f.key) {
			w.proxy.say("-- somebody else: " + o.meddle(random, w.service, f, meanwhile))
			w.tally.did(meddled, 1)
		}
	}
}

// meanwhile lets another user change the object with that key during Terraform's own change, every third time.
func (w *world) meanwhile(key string) {
	random := rand.New(rand.NewPCG(uint64(w.number), uint64(w.service.clock.Now().UnixNano()))) //nolint:gosec // Nothing secret.
	i := slices.IndexFunc(w.wanted, func(o object) bool { return o.owns(key) })
	if i < 0 || random.IntN(3) > 0 {
		return
	}
	w.disturbed.Store(true)
	w.meddle(random, w.wanted[i], true)
}

// converge applies until an apply succeeds: under faults first, then without. meanwhile lets another user change
// something between the first plan and its apply.
func (w *world) converge(what string, before map[string]object, meanwhile bool) {
	var source strings.Builder
	for _, o := range w.wanted {
		source.WriteString(o.hcl(w.service.at))
	}
	if err := w.terraform.Configure(source.String()); err != nil {
		w.t.Fatalf("%v:\n%s", err, source.String())
	}
	destroy := len(w.wanted) == 0
	for attempt := 1; ; attempt++ {
		rate := w.rate
		if attempt > attempts {
			rate = 0
		}
		w.proxy.begin(fmt.Sprintf("%s, attempt %d", what, attempt), rate)
		err := w.once(destroy, before, meanwhile && attempt == 1)
		if err == nil {
			break
		}
		w.proxy.say("-- failed: " + firstLines(err))
		w.tally.did(failed, 1)
		w.afterFailure(err)
		if attempt > attempts+1 {
			w.offend(wrongPlan, "an apply fails without faults: %v", err)
			return
		}
		if attempt > attempts {
			w.waitForLost()
		}
	}
	// The next plan detects a change made between a plan and its apply.
	w.proxy.begin(what+", afterwards", 0)
	plan, err := w.terraform.Plan(destroy)
	if err != nil {
		w.offend(wrongPlan, "the next plan fails: %v", err)
		return
	}
	for _, change := range plan.ResourceChanges {
		if !change.Change.Actions.NoOp() {
			w.offend(wrongPlan, "the next plan is not empty: %v %s\n%v\n%v", change.Change.Actions, change.Address, change.Change.Before, change.Change.After)
		}
	}
	if !destroy {
		w.expectWanted()
	}
}

// waitForLost lets the time pass in which an object stays in state that the service no longer has, if no read has shown it since its
// creation: the service may lag behind.
func (w *world) waitForLost() {
	current := w.service.current()
	for _, each := range w.state() {
		if _, there := current[each.id]; !there {
			w.service.clock.Advance(providertest.Unseen)
			return
		}
	}
}

// expectWanted expects the service to have what is configured, after everybody has finished.
func (w *world) expectWanted() {
	w.t.Helper()
	known, current := w.state(), w.service.current()
	for _, want := range w.wanted {
		for _, difference := range differences(want.settings(), want.of(current[known[want.block()].id])) {
			w.offend(lostUpdate, "%s, though the plan is empty: %s", want.key(), difference)
		}
	}
}

// once plans and applies.
func (w *world) once(destroy bool, before map[string]object, meanwhile bool) error {
	w.known = map[string]bool{}
	for _, each := range w.state() {
		w.known[each.id] = true
	}
	plan, err := w.terraform.Plan(destroy)
	if err != nil {
		return err
	}
	w.disturbed.Store(meanwhile)
	planned := w.service.current()
	if meanwhile {
		w.meddle(w.random, pick(w.random, w.wanted...), false)
	}
	revisions := map[string]int{}
	for id, f := range w.service.current() {
		if _, is := f.body.(api.Deployment); is {
			revisions[id] = len(w.service.revisions(id))
		}
	}
	if err := w.terraform.Apply(); err != nil {
		return err
	}
	if w.rateNow() > 0 {
		w.tally.did(succeeded, 1)
	}
	w.count(plan)
	w.afterSuccess(plan, before, planned, revisions, w.disturbed.Load())
	for w.disturbed.Swap(false) { // Also while this is applied.
		w.waitForLost()
		again, err := w.terraform.Plan(destroy)
		if err != nil {
			return err
		}
		if err := w.terraform.Apply(); err != nil {
			return err
		}
		if slices.ContainsFunc(again.ResourceChanges, func(c *tfjson.ResourceChange) bool { return c.Change.Actions.Create() }) {
			w.disturbed.Store(true) // A creation may have left something to the next apply, with a warning.
		}
	}
	return nil
}

func (w *world) rateNow() float64 {
	w.proxy.mu.Lock()
	defer w.proxy.mu.Unlock()
	return w.proxy.rate
}

func (w *world) count(plan *tfjson.Plan) {
	for _, change := range plan.ResourceChanges {
		switch actions := change.Change.Actions; {
		case actions.Replace():
			w.tally.did(replaced, 1)
		case actions.Create():
			w.tally.did(created, 1)
		case actions.Update():
			w.tally.did(updated, 1)
		case actions.Delete():
			w.tally.did(destroyed, 1)
		}
	}
}

// offend reports an offence.
func (w *world) offend(what, format string, args ...any) {
	w.t.Helper()
	w.tally.offence(what)
	w.t.Errorf("%s: %s\n%s", what, fmt.Sprintf(format, args...), w.proxy.story(80))
}

// instance is an object in the state.
type instance struct {
	id      string
	tainted bool
}

// state is Terraform's state, by block name.
func (w *world) state() map[string]instance {
	w.t.Helper()
	shown, err := w.terraform.State()
	if err != nil {
		w.t.Fatal(err)
	}
	known := map[string]instance{}
	if shown.Values == nil || shown.Values.RootModule == nil {
		return known
	}
	for _, each := range shown.Values.RootModule.Resources {
		id, _ := each.AttributeValues["id"].(string)
		known[each.Name] = instance{id, each.Tainted}
	}
	return known
}

// outside are the objects in the service that are not in state.
func (w *world) outside() []found {
	known := w.state()
	var outside []found
	for id, f := range w.service.current() {
		if !slices.ContainsFunc(slices.Collect(maps.Values(known)), func(i instance) bool { return i.id == id }) {
			outside = append(outside, f)
		}
	}
	return outside
}

// afterFailure expects that nothing is lost: an error has named every object that is not in state. It is then imported as the
// error says.
func (w *world) afterFailure(err error) {
	w.t.Helper()
	current := w.service.current()
	for block, known := range w.state() {
		if f, there := current[known.id]; known.tainted && there {
			w.offend(taint, "%s is tainted, but %s is %v: %v", block, f.id, f.body, err)
		}
	}
	for _, f := range w.outside() {
		told := strings.Contains(err.Error(), fmt.Sprintf("%q", f.key)) && strings.Contains(err.Error(), "import")
		if w.known[f.id] || !w.named[f.key] && !told {
			w.offend(orphan, "%s (%s) isn't in the state, and nothing says so: %v", f.key, f.id, err)
			return
		}
		w.named[f.key] = true
		if !strings.Contains(err.Error(), fmt.Sprintf("id = %q", f.importID)) {
			continue
		}
		i := slices.IndexFunc(w.wanted, func(o object) bool { return o.key() == f.key })
		if i < 0 {
			w.offend(orphan, "%s (%s) is not wanted any more", f.key, f.id)
			return
		}
		w.proxy.begin("import "+f.key, 0)
		if err := w.terraform.Import(w.wanted[i].kind().typeName+"."+w.wanted[i].block(), f.importID); err != nil {
			w.offend(orphan, "%s (%s) can't be imported: %v", f.key, f.id, err)
			return
		}
		w.tally.did(adopted, 1)
	}
}

// afterSuccess expects exactly what is configured, with the revisions that were planned. before are the configurations of
// the previous apply, and planned is the service's contents when the plan was made; where another user changed something after
// that, only the new values count.
func (w *world) afterSuccess(plan *tfjson.Plan, before map[string]object, planned map[string]found, revisions map[string]int, disturbed bool) {
	w.t.Helper()
	for _, f := range w.outside() {
		w.offend(duplicate, "%s (%s) isn't in the state", f.key, f.id)
	}
	known, current := w.state(), w.service.current()
	for _, want := range w.wanted {
		f, there := current[known[want.block()].id]
		switch {
		case !there && disturbed: // Deleted by another user.
			continue
		case !there:
			w.offend(lostUpdate, "%s isn't there", want.key())
			continue
		case f.key != want.key():
			w.offend(lostUpdate, "%s is called %s", want.key(), f.key)
		}
		for name, difference := range differences(want.settings(), want.of(f)) {
			was, there := planned[f.id]
			if disturbed && (before[want.block()].settings()[name] == want.settings()[name] || there && want.of(was)[name] == want.settings()[name]) {
				continue
			}
			if _, old := revisions[f.id]; !old && (disturbed || name == "display_name" || name == "deployment_tier") {
				// A creation can't send them. A change that fails afterwards is a warning, so that nothing healthy is tainted, and
				// the next plan shows it. It also shows what another user has changed right after the creation.
				if !disturbed {
					w.tally.did(unnamed, 1)
				}
				w.disturbed.Store(true)
				continue
			}
			w.offend(lostUpdate, "%s: %s", want.key(), difference)
		}
		if _, is := f.body.(api.Deployment); is && !disturbed {
			w.expectRevisions(plan, want, f.id, revisions)
		}
	}
}

// expectRevisions expects as many new revisions as were planned, and one more only after a lost reply.
func (w *world) expectRevisions(plan *tfjson.Plan, want object, id string, before map[string]int) {
	w.t.Helper()
	predicted := 0
	for _, change := range plan.ResourceChanges {
		unknown, _ := change.Change.AfterUnknown.(map[string]any)
		if change.Name == want.block() && unknown["latest_revision_id"] == true {
			predicted = 1
		}
	}
	switch got := len(w.service.revisions(id)) - before[id]; {
	case got == predicted:
	case got == predicted+1 && predicted == 1 && w.proxy.untold(want.key()) > 0:
		w.tally.did(repeated, 1)
		if _, old := before[id]; !old {
			// A deployment whose creation lost its reply is sent the values that can't be read. If that reply is lost, too, the creation
			// ends with a warning, and the next apply sends them again.
			w.disturbed.Store(true)
		}
	case got < predicted:
		w.offend(lostUpdate, "%s got %d revisions, and %d were planned", want.key(), got, predicted)
	default:
		w.offend(wrongPlan, "%s got %d revisions, and %d were planned", want.key(), got, predicted)
	}
}
