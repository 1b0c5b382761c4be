package chaos

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
)

// TestChaos runs one seed, small. With SEEDS, which .ci/torture sets, it runs that many seeds in full; SEED is the first of
// them, and RATE the share of requests that go wrong.
func TestChaos(t *testing.T) {
	t.Parallel()
	seed, seeds, worlds := fromEnvironment(t, "SEED", 1), fromEnvironment(t, "SEEDS", 0), fullWorlds
	if seeds == 0 {
		seeds, worlds = 1, smallWorlds
	}
	rate := float64(fromEnvironment(t, "RATE", 30)) / 100
	total := newTally()
	t.Cleanup(func() {
		if t.Failed() || os.Getenv("SEEDS") != "" {
			fmt.Fprintf(os.Stdout, "seeds %d to %d, faults in %.0f %% of requests:\n\n%s\n", seed, seed+seeds-1, 100*rate, total.table())
		}
	})
	only := os.Getenv("WORLD")
	for s := range seeds {
		for number, contents := range worlds() {
			if only != "" && only != fmt.Sprint(number) {
				continue
			}
			t.Run(fmt.Sprintf("SEED=%d WORLD=%d", seed+s, number), func(t *testing.T) {
				t.Parallel()
				newWorld(t, uint64(seed+s), number, contents, rate, total).live() //nolint:gosec // Seeds aren't negative.
			})
		}
	}
}

// contents makes what a world's configuration wants.
type contents func(random *rand.Rand, s *service, hides hiding) []object

func oneConnection(random *rand.Rand, s *service, _ hiding) []object {
	return []object{newConnection(random, s, "n0")}
}

// fullWorlds are 104 deployments and 56 other objects: most in worlds of their own, where everything happens in the same order
// with every run, and some side by side.
func fullWorlds() iter.Seq2[int, contents] {
	all := slices.Concat(
		slices.Repeat([]contents{some(1)}, 80), slices.Repeat([]contents{some(5)}, 4),
		slices.Repeat([]contents{one(listeners), one(oauthProviders), one(modelPrices)}, 8),
		slices.Repeat([]contents{together}, 4), slices.Repeat([]contents{oneToken}, 8), slices.Repeat([]contents{oneConnection}, 8),
	)
	return slices.All(all)
}

func smallWorlds() iter.Seq2[int, contents] {
	return slices.All([]contents{some(1), some(1), some(2), one(listeners), one(oauthProviders), one(modelPrices), together, oneToken, oneConnection})
}

// some are deployments, as many as count says.
func some(count int) contents {
	return func(random *rand.Rand, s *service, hides hiding) []object {
		var all []object
		for i := range count {
			all = append(all, newDeployment(random, fmt.Sprint("d", i), s.account.Dialect, hides))
		}
		return all
	}
}

func one(n *noun) contents {
	return func(random *rand.Rand, _ *service, _ hiding) []object { return []object{newPlain(random, n, "n0")} }
}

// together are one of each, with a deployment that needs the listener.
func together(random *rand.Rand, s *service, hides hiding) []object {
	listener := newPlain(random, listeners, "n0")
	d := newDeployment(random, "d0", s.account.Dialect, hides)
	for d.source != api.SourceExternalContainer {
		d = newDeployment(random, "d0", s.account.Dialect, hides)
	}
	d.listener = listener
	return []object{listener, d, newPlain(random, oauthProviders, "n1"), newPlain(random, modelPrices, "n2"), newConnection(random, s, "n3")}
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

func zero() *rand.Rand { return rand.New(rand.NewPCG(0, 0)) }

// firstLines are what an error says, in short.
func firstLines(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return text[:min(len(text), 600)]
}
