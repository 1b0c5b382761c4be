package core

import (
	"maps"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// address names an instance of a resource or data source.
type address struct {
	resourceKey
	// key is empty, or for example [0] or ["a"].
	key string
}

func (a address) String() string { return a.resourceKey.String() + a.key }

// state is kept from one operation to the next.
type state struct {
	mu      sync.Mutex
	objects map[address]object
	outputs map[string]outputValue
}

type outputValue struct {
	value     cty.Value
	sensitive bool
}

func newState() *state {
	return &state{objects: map[address]object{}, outputs: map[string]outputValue{}}
}

func (s *state) clone() *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &state{objects: maps.Clone(s.objects), outputs: maps.Clone(s.outputs)}
}

func (s *state) get(a address) (object, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, ok := s.objects[a]
	return o, ok
}

// set stores an instance, or removes it if its value is null.
func (s *state) set(a address, o object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.value == cty.NilVal || o.value.IsNull() {
		delete(s.objects, a)
		return
	}
	s.objects[a] = o
}

// managed are the instances of resources, not of data sources.
func (s *state) managed() map[address]object {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := map[address]object{}
	for a, o := range s.objects {
		if !a.data {
			found[a] = o
		}
	}
	return found
}
