package chaos

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// changesOfLife is how often an object changes, and attempts how often each operation is tried under faults until they end.
const (
	changesOfLife = 3
	attempts      = 2
)

// TestChaos creates, changes and destroys objects of all subjects of the matrix while random requests fail. It runs one life each;
// with SEEDS, which .ci/torture sets, as many seeds of four lives in each dialect, of which SEED is the first. RATE is the percentage of
// requests that fail.
func TestChaos(t *testing.T) {
	t.Parallel()
	seed, seeds, lives := fromEnvironment(t, "SEED", 1), fromEnvironment(t, "SEEDS", 0), 4
	dialects := len(api.Dialects)
	if seeds == 0 {
		seeds, lives, dialects = 1, 1, 1
	}
	total := &chaosTally{}
	t.Cleanup(func() {
		fmt.Fprintf(os.Stdout, "chaos: %d lives, %d requests, of which %d failed; %d operations failed and converged\n",
			total.lives.Load(), total.requests.Load(), total.faults.Load(), total.failed.Load())
	})
	for n := seed; n < seed+seeds; n++ {
		for i, s := range subjects {
			for d := range dialects {
				dialect := api.Dialects[(n+i+d)%len(api.Dialects)]
				name := fmt.Sprintf("SEED=%d/%s/%s", n, s.name, dialect.Name)
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					random := rand.New(rand.NewPCG(uint64(n), hashOf(name))) //nolint:gosec // Nothing secret, and no negative numbers.
					l := newLab(t, s, dialect, false, func(c *devserver.Config) { c.Lag = providertest.Lag(t) })
					defer l.close()
					l.proxy.rate, l.proxy.tally = float64(fromEnvironment(t, "RATE", 30))/100, total
					for life := range lives {
						l.proxy.hides = []hiding{showsValues, masksValues, omitsSecrets}[random.IntN(3)]
						l.proxy.seed = fmt.Sprint(name, life)
						live(l.newCell(), random)
						total.lives.Add(1)
					}
				})
			}
		}
	}
}

// chaosTally counts what happened in a run.
type chaosTally struct{ lives, requests, faults, failed atomic.Int64 }

// live creates an object, changes it and destroys it.
func live(c *cell, random *rand.Rand) {
	c.endure(operation{verb: verbCreate})
	changes := slices.Clone(c.subject.changes)
	random.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	done := 0
	for _, e := range changes {
		if done == changesOfLife || c.t.Failed() {
			break
		}
		if e.onlyIn != "" && e.onlyIn != c.at.dialect.Name || c.removesNothing(e) || c.imported && e.revision && len(e.gone) > 0 {
			continue
		}
		if done++; c.subject.renewed != nil { // Each change needs a version of its own.
			e.set = maps.Clone(e.set)
			e.set["tokens_wo_version"] = 10 * (done + 1)
		}
		verb := verbUpdate
		if e.replaces {
			verb = verbReplace
		}
		c.endure(operation{verb: verb, edit: e})
	}
	c.endure(operation{verb: verbDelete})
}

// removesNothing reports whether a change removes what another one has removed.
func (c *cell) removesNothing(e edit) bool {
	for path, value := range e.set {
		if value == nil && member(c.config, path) == nil {
			return true
		}
	}
	return false
}

// endure tries an operation while requests fail, checks what each failure has left, and then expects that it converges.
func (c *cell) endure(o operation) {
	if c.t.Failed() || c.subject.record && o.verb == verbDelete {
		return
	}
	c.proxy.reset()
	c.diags, c.found, c.before = nil, nil, nil
	if found := c.look(c.name); len(found) > 0 {
		c.before = &found[0]
	}
	c.proxy.chaos(o.String())
	told := ""
	for attempt := range attempts {
		c.diags = nil
		switch {
		case attempt == 0:
			c.perform(o)
		case o.verb == verbDelete:
			c.apply(nil)
		default:
			c.apply(c.config)
		}
		if c.errorsIn() == "" {
			break
		}
		c.proxy.tally.failed.Add(1)
		told += c.errorsIn()
		c.checkFailed(told)
	}
	c.proxy.chaos("")
	if told == "" && c.warningsIn() == "" && !c.proxy.lost {
		c.check(nil)
	}
	c.converge()
	for _, f := range c.found {
		c.t.Errorf("%s: %s: %s\n%s", o, f.rule, f.what, c.proxy.story())
	}
}

// checkFailed expects that an error has named each object that isn't in the state, and that nothing healthy is tainted.
func (c *cell) checkFailed(told string) {
	for _, each := range c.look(c.name) {
		inState := c.state.Exists() && each.id == c.state.text("id")
		named := strings.Contains(told, each.id) || strings.Contains(told, c.name) && saysPending.MatchString(told)
		if !inState && !named {
			c.offend(ruleOrphan, "%s: %s", each.id, told)
		}
		if inState && c.state.Tainted() && !strings.Contains(each.status, "FAILED") {
			c.offend(ruleTaint, "%s is %s: %s", each.id, each.status, told)
		}
	}
}

// chaos begins the random faults of an operation; without one, it ends them.
func (f *faulty) chaos(operation string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failing, f.lost, f.count = operation, f.lost && operation == "", map[string]int{}
}

// random returns the fault of a request, if any. The same request of the same life always meets the same fault, so that a seed repeats a
// run.
func (f *faulty) random(kind string) *armed {
	f.tally.requests.Add(1)
	f.count[kind]++
	random := rand.New(rand.NewPCG(hashOf(f.seed, f.failing, f.phase, kind, f.count[kind]), 0))
	if random.Float64() >= f.rate {
		return nil
	}
	f.tally.faults.Add(1)
	after := !strings.HasPrefix(kind, http.MethodGet) && random.IntN(2) == 0
	f.lost = f.lost || after
	among := slices.DeleteFunc(wrongAnswers(), func(w wrongAnswer) bool { return lies(w, after) })
	return &armed{spot: spot{kind: kind, after: after}, wrongAnswer: among[random.IntN(len(among))]}
}

// lies reports whether an answer claims what no client can doubt: that nothing was done, or what the object is.
func lies(w wrongAnswer, after bool) bool {
	switch w.class {
	case classObject:
		return true
	case classBody:
		return strings.ContainsAny(w.name, "[{") || w.name == "null"
	case classDetail:
		return after || w.name == "status 404 with detail"
	case classRefusal, classRedirect:
		return after
	}
	return false
}

func hashOf(words ...any) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprintln(hash, words...) // A hash never fails.
	return binary.BigEndian.Uint64(hash.Sum(nil))
}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 {
		t.Fatalf("%s is %q: want a number", name, text)
	}
	return number
}
