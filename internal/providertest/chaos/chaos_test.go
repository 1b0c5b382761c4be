package chaos

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestChaos runs one seed, small. With SEEDS, which make chaos sets, it runs that many seeds in full; SEED is the first of
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
		for number, deployments := range worlds() {
			if only != "" && only != fmt.Sprint(number) {
				continue
			}
			t.Run(fmt.Sprintf("SEED=%d WORLD=%d", seed+s, number), func(t *testing.T) {
				t.Parallel()
				newWorld(t, uint64(seed+s), number, deployments, rate, total).live() //nolint:gosec // Seeds aren't negative.
			})
		}
	}
}

// fullWorlds are 100 deployments: most in worlds of their own, where everything happens in the same order with every run,
// and some side by side.
func fullWorlds() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for number := range 84 {
			deployments := 1
			if number >= 80 {
				deployments = 5
			}
			if !yield(number, deployments) {
				return
			}
		}
	}
}

func smallWorlds() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for number, deployments := range []int{1, 1, 2} {
			if !yield(number, deployments) {
				return
			}
		}
	}
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
