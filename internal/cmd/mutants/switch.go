package main

import "fmt"

// switchName is the file added to the instrumented package. No package uses the prefix of its names.
const switchName = "mutate_switch.go"

// Environment variables of the instrumented test binary.
const (
	activeVariable  = "MUTANTS_ACTIVE"  // the ID of the mutant that is switched on
	reachedVariable = "MUTANTS_REACHED" // the file that gets the ID of each mutant that is reached, if any
)

// switchCode switches the behaviour of an instrumented package. The tests spend much of their time in it, so the
// path taken while all mutants are off is short enough to be inlined.
func switchCode(pkg string, mutants int) string {
	return fmt.Sprintf(`package %s

import (
	mutateCmp "cmp"
	mutateOS "os"
	mutateStrconv "strconv"
	mutateAtomic "sync/atomic"
)

var mutateActive = func() int {
	id, _ := mutateStrconv.Atoi(mutateOS.Getenv(%q))
	return id
}()

var mutateFile = func() *mutateOS.File {
	name := mutateOS.Getenv(%q)
	if name == "" {
		return nil
	}
	file, err := mutateOS.OpenFile(name, mutateOS.O_APPEND|mutateOS.O_CREATE|mutateOS.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return file
}()

var mutateSeen [%d + 1]mutateAtomic.Bool

func mutate(id int) bool {
	if mutateFile != nil {
		mutateReach(id)
	}
	return id == mutateActive
}

func mutateReach(id int) {
	if !mutateSeen[id].Load() && !mutateSeen[id].Swap(true) {
		mutateFile.WriteString(mutateStrconv.Itoa(id) + "\n")
	}
}

func mutateLess[T mutateCmp.Ordered](id int, a, b T) bool    { return a < b || a == b && mutate(id) }
func mutateMore[T mutateCmp.Ordered](id int, a, b T) bool    { return a > b || a == b && mutate(id) }
func mutateAtMost[T mutateCmp.Ordered](id int, a, b T) bool  { return a < b || a == b && !mutate(id) }
func mutateAtLeast[T mutateCmp.Ordered](id int, a, b T) bool { return a > b || a == b && !mutate(id) }
`, pkg, activeVariable, reachedVariable, mutants)
}
