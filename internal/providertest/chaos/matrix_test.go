package chaos

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// once and the lasting faults: longer than any retry, and longer than the provider believes nothing but refusals.
const (
	once     = 0
	lasting  = 75 * time.Second
	refusing = 12 * time.Minute
)

var durations = map[time.Duration]string{once: "once", lasting: "75s", refusing: "12m"}

// sampled is one cell in how many runs without FAULTS.
const sampled = 307

// cellsPerLab bounds the revisions and requests that a control plane has to keep.
const cellsPerLab = 200

// TestFaultMatrix runs every operation with one wrong answer at a time: a sample, or one cell in FAULTS, which .ci/torture sets to 1.
// CELL runs the cells with that name, or whose names match it, and prints what happened.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	oneIn := uint32(max(1, fromEnvironment(t, "FAULTS", sampled))) //nolint:gosec // It is small.
	chosen := selection{oneIn: oneIn, cell: os.Getenv("CELL"), seed: os.Getenv("SEED")}
	if chosen.cell != "" {
		chosen.matching, _ = regexp.Compile(chosen.cell) // It may be a name, which needn't be a pattern.
	}
	stopped, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // What has run is still printed.
	chosen.stopped = stopped.Done()
	found := newMatrixReport()
	start := time.Now()
	t.Cleanup(stop)
	t.Cleanup(func() { found.print(t, time.Since(start)) })
	for _, s := range subjects {
		for _, dialect := range api.Dialects {
			for _, masked := range []bool{false, true} {
				if masked && len(s.variables) == 0 {
					continue // Nothing is masked.
				}
				g := &group{subject: s, dialect: dialect, masked: masked, chosen: chosen, report: found}
				if !chosen.mayInclude(g.lab()) {
					continue
				}
				t.Run(g.lab(), func(t *testing.T) {
					t.Parallel()
					g.run(t)
				})
			}
		}
	}
}

// selection says which cells run.
type selection struct {
	oneIn    uint32
	cell     string
	matching *regexp.Regexp
	// seed chooses the pairs of two faults.
	seed string
	// stopped is closed when no more cells must run.
	stopped <-chan struct{}
}

// mayInclude rules out the cells of other labs if the name begins with a lab's.
func (s selection) mayInclude(lab string) bool {
	cell := strings.TrimPrefix(s.cell, "^")
	return strings.Count(cell, "/") < 3 || strings.ContainsAny(cell[:strings.LastIndex(cell, "/")], "(|") || strings.HasPrefix(cell, lab+"/")
}

func (s selection) includes(id string) bool {
	select {
	case <-s.stopped:
		return false
	default:
	}
	if s.cell != "" {
		return id == s.cell || s.matching != nil && s.matching.MatchString(id)
	}
	return oneOf(s.oneIn, id)
}

func oneOf(many uint32, id string) bool {
	hash := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint32(hash[:])%many == 0
}

// group are the cells of one kind of lab.
type group struct {
	subject subject
	dialect *api.Dialect
	masked  bool
	chosen  selection
	report  *matrixReport

	t         *testing.T
	operation operation
	// plain is the operation without a fault.
	plain   ranCell
	current *lab
	left    int
}

func (g *group) lab() string {
	hides := "readable"
	if g.masked {
		hides = "masked"
	}
	return strings.Join([]string{g.subject.name, g.dialect.Name, hides}, "/")
}

func (g *group) name() string { return g.lab() + "/" + g.operation.String() }

func (g *group) run(t *testing.T) {
	t.Helper()
	g.t = t
	defer func() {
		if g.current != nil {
			g.current.close()
		}
	}()
	for _, o := range g.subject.operations(g.dialect.Name) {
		g.operation = o
		g.runOperation()
	}
}

// runOperation finds out which requests the operation sends, and gives each of them every wrong answer. A lasting fault is left out
// if nothing was sent again after the same fault once.
func (g *group) runOperation() {
	g.plain = g.cell(nil, nil)
	if len(g.plain.found) > 0 {
		g.report.add(g, "", failure{}, g.plain.found)
		return // With a fault it can't get better.
	}
	var pairs []happening
	if !g.operation.edit.swallowed || !g.subject.revisions { // Others of its changes show what a rollout is for these.
		g.runHappenings()
		pairs = g.subject.writersDuring(g.operation, g.plain, g.masked)
	}
	for _, at := range spots(slices.Clone(g.plain.sent)) {
		if g.masked && !g.hidesIn(at) {
			continue
		}
		for _, wrong := range wrongAnswers() {
			if g.operation.edit.swallowed && (at.kind != g.plain.wrote || wrong.name != oldObject && wrong.name != echo) {
				continue
			}
			for _, at.after = range []bool{false, true} {
				same := false
				for _, at.lasting = range []time.Duration{once, lasting, refusing} {
					switch {
					case !at.exists(wrong), g.proves(at, wrong):
						continue
					case same:
						g.report.total.Add(1)
						g.report.repeats.Add(1)
					default:
						same = g.runCell(&armed{spot: at, wrongAnswer: wrong}, nil)
					}
					g.runPairs(at, wrong, pairs)
				}
			}
		}
	}
}

// hidesIn reports whether masked values make a difference: if they are in the answer, or if the operation changes them or can't be
// seen at all.
func (g *group) hidesIn(at spot) bool {
	change, _, _ := strings.Cut(g.operation.edit.name, ".")
	return strings.Contains(at.kind, g.kindOfList()) && !strings.Contains(at.kind, "/revisions") ||
		slices.Contains(g.subject.variables, change) || slices.Contains(g.subject.local, change)
}

// spots are the requests of an operation. Of many of one kind, such as polls, there are the first and the last.
func spots(sent []string) []spot {
	count := map[string]int{}
	for _, kind := range sent {
		count[kind]++
	}
	seen := map[string]int{}
	var all []spot
	for _, kind := range sent {
		seen[kind]++
		if n := seen[kind]; n == 1 || n == count[kind] {
			all = append(all, spot{kind: kind, nth: n})
		}
	}
	return all
}

func (s spot) when() string {
	switch {
	case strings.HasPrefix(s.kind, "GET "):
		return "read"
	case s.after:
		return "after"
	}
	return "before"
}

// exists reports whether there is such a cell. Reads have no effect, so there is no difference between a fault before and after
// one. Nothing but a refusal of a read is awaited for more than ten minutes. A service that has processed a write and answers
// that it hasn't can't be told from one that speaks the truth.
func (s spot) exists(wrong wrongAnswer) bool {
	read := strings.HasPrefix(s.kind, "GET ")
	switch {
	case read && s.after, s.after && slices.Contains(unprocessed, wrong.name):
		return false
	case s.lasting == refusing:
		return read && slices.Contains([]string{classRedirect, classRefusal, classDetail}, wrong.class) && slices.Contains(patient, wrong.name)
	}
	return true
}

// patient are the refusals that last for more than ten minutes.
var patient = []string{"status 302", "status 403", "status 404", "status 418", "status 401 with detail", "status 404 with detail", "status 422 with detail"}

// proves reports whether a lasting answer is a proof that the object is gone, as far as a client can know.
func (g *group) proves(at spot, wrong wrongAnswer) bool {
	switch {
	case strings.HasSuffix(at.kind, "/auth/tokens"): // A user without tokens, who isn't connected.
		return slices.Contains([]string{"[]", "null"}, wrong.name)
	case g.subject.onlyListed && at.kind == "GET "+g.kindOfList() && at.lasting > once:
		if g.subject.byKey() { // Their list is never an array.
			return wrong.class == classObject
		}
		return wrong.name == "[]"
	}
	return false
}

// kindOfList is the path of the objects without their names.
func (g *group) kindOfList() string {
	return g.dialect.Path(g.subject.listOf("*"))
}

// unprocessed are the answers that say that nothing was done.
var unprocessed = []string{"status 425", "status 429", "status 429 with detail"}

// id is the name of a cell.
func (g *group) id(a *armed, h *happening) string {
	parts := []string{g.name()}
	if h != nil {
		parts = append(parts, h.dimension, h.label)
	}
	if a == nil {
		return strings.Join(append(parts, "no fault"), "/")
	}
	return strings.Join(append(parts, a.request(), a.when(), a.name, durations[a.lasting]), "/")
}

// runCell runs a cell with a fault, with something that happens besides the operation, or with both. It reports whether the same fault for a
// longer time would change nothing.
func (g *group) runCell(a *armed, h *happening) (same bool) {
	id := g.id(a, h)
	if !g.chosen.includes(id) {
		g.report.total.Add(1)
		return false
	}
	ran := g.cell(a, h)
	switch {
	case ran.refused, a != nil && a.hits > 0 && a.void:
		g.report.voided.Add(1)
		return false
	case ran.void, a != nil && a.hits == 0:
		g.report.missed.Add(1)
		return false
	}
	g.report.total.Add(1)
	g.report.runs.Add(1)
	broken := failure{class: "no fault"}
	if a != nil {
		broken = failure{request: a.kind, class: a.class}
	}
	if h != nil {
		broken.request = h.dimension + ", " + h.label
	}
	g.report.add(g, id, broken, ran.found)
	if g.chosen.cell != "" {
		g.report.tell(id, ran)
		return false
	}
	return ran.last
}

// runHappenings lets another user act, and clocks go wrong: without a fault, and with a lost reply of the operation's own change.
func (g *group) runHappenings() {
	alone := slices.Concat(g.subject.writersDuring(g.operation, g.plain, g.masked), clocksDuring(g.operation, g.plain))
	for _, h := range alone {
		h.fails = g.plain.failed
		g.runCell(nil, &h)
	}
	if g.plain.wrote == "" {
		return
	}
	lost := spot{kind: g.plain.wrote, nth: 1, after: true}
	all := wrongAnswers()
	cut := all[slices.IndexFunc(all, func(w wrongAnswer) bool { return w.name == lostReply })]
	var ran *ranCell
	for _, h := range alone {
		if !g.chosen.includes(g.id(&armed{spot: lost, wrongAnswer: cut}, &h)) {
			g.report.total.Add(1)
			continue
		}
		if ran == nil { // Its reads aren't those of the operation without a fault.
			first := g.cell(&armed{spot: lost, wrongAnswer: cut}, nil)
			ran = &first
		}
		same := slices.Concat(g.subject.writersDuring(g.operation, *ran, g.masked), clocksDuring(g.operation, *ran))
		if i := slices.IndexFunc(same, func(other happening) bool { return other.label == h.label }); i >= 0 && len(ran.found) == 0 {
			same[i].fails = ran.failed
			g.runCell(&armed{spot: lost, wrongAnswer: cut}, &same[i])
		}
	}
}

// lostReply is the wrong answer of cells with a lost reply.
const lostReply = "cut"

// pairsIn is one pair of a fault and an act of another user in how many that runs.
const pairsIn = 250

// runPairs runs a sample of the pairs of a fault and an act of another user. Another SEED chooses others.
func (g *group) runPairs(at spot, wrong wrongAnswer, all []happening) {
	if wrong.name == lostReply && at.kind == g.plain.wrote && at.after && at.lasting == once {
		return // All of these run.
	}
	for _, h := range all {
		a := &armed{spot: at, wrongAnswer: wrong}
		id := g.id(a, &h)
		if g.chosen.cell == "" && !oneOf(pairsIn, g.chosen.seed+id) || !g.chosen.includes(id) {
			continue
		}
		g.runCell(a, &h)
	}
}

// ranCell is what remains of a cell.
type ranCell struct {
	found []finding
	sent  []string
	// wrote is the kind of the operation's own change, and read are the kinds of the reads after it.
	wrote string
	read  []string
	// warned are the summaries of warnings, and failed is set if there was an error.
	warned []string
	failed bool
	// void: nothing happened besides the operation, and refused: because the service refused it.
	void, refused bool
	// last reports whether the request with the fault was the last of its kind.
	last  bool
	story string
}

// cell runs the operation with a fault, or without, and with what else happens, if anything.
func (g *group) cell(a *armed, h *happening) ranCell {
	if g.left == 0 {
		if g.current != nil {
			g.current.close()
		}
		g.current, g.left = newLab(g.t, g.subject, g.dialect, g.masked), cellsPerLab
	}
	g.left--
	c := g.current.newCell()
	if g.operation.verb != verbCreate {
		c.prepare()
	}
	if a != nil && a.needsBody {
		g.current.remember(c.name, c.before)
	}
	c.proxy.reset()
	c.diags, c.found = nil, nil
	if a != nil {
		c.proxy.arm(a)
	}
	if g.operation.verb != verbRefresh && g.operation.verb != verbImport {
		c.proxy.makes = g.operation.makes
	}
	c.operation, c.usual = g.operation, g.plain.warned
	if h != nil {
		c.expect(*h)
	}
	c.perform(g.operation)
	ran := ranCell{sent: c.proxy.sent, wrote: c.proxy.wrote, read: c.proxy.read, last: a != nil && a.seen == a.nth, failed: c.errorsIn() != ""}
	for _, d := range c.diags {
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			ran.warned = append(ran.warned, d.Summary)
		}
	}
	if h != nil && !c.happened(*h) {
		ran.void, ran.refused = true, c.void
		g.current.proxy.reset()
		g.current.discard(c.name)
		return ran
	}
	if c.check(a); h != nil {
		c.checkTime(a, *h)
	}
	var told string
	if g.chosen.cell != "" {
		told = providertest.Told(c.diags) + fmt.Sprintf("state: %v\ntainted: %t\n", c.state.Attributes(), c.state.Tainted())
	}
	c.converge()
	ran.found = c.found
	if g.chosen.cell != "" {
		ran.story = c.proxy.story() + "\n-- after the operation\n" + told + "-- in the end\n" + providertest.Told(c.diags)
	}
	g.current.discard(c.name)
	return ran
}
