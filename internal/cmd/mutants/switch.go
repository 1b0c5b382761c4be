package main

import "fmt"

// switchName is the file that the instrumented package gets, and what its names begin with is in no package.
const switchName = "mutate_switch.go"

// Environment variables of the instrumented test binary.
const (
	activeVariable  = "MUTANTS_ACTIVE"  // the ID of the mutant that is switched on
	reachedVariable = "MUTANTS_REACHED" // the file that gets the ID of each mutant that is reached, if any
)

// switchCode is what an instrumented package chooses its behaviour with.
func switchCode(pkg string) string {
	return fmt.Sprintf(`package %s

import (
	mutateCmp "cmp"
	mutateOS "os"
	mutateStrconv "strconv"
	mutateSync "sync"
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

var mutateSeen mutateSync.Map

func mutate(id int) bool {
	if mutateFile != nil {
		if _, seen := mutateSeen.LoadOrStore(id, true); !seen {
			mutateFile.WriteString(mutateStrconv.Itoa(id) + "\n")
		}
	}
	return id == mutateActive
}

func mutateBound[T mutateCmp.Ordered](id int, op string, a, b T) bool {
	moved := mutate(id)
	switch op {
	case "<":
		return a < b || moved && a == b
	case "<=":
		return a < b || !moved && a == b
	case ">":
		return a > b || moved && a == b
	default:
		return a > b || !moved && a == b
	}
}
`, pkg, activeVariable, reachedVariable)
}
