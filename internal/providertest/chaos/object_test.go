package chaos

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// object is a configured object.
type object interface {
	kind() *kind
	// block is the name of its resource block.
	block() string
	// key identifies it in the service, and owns reports whether a key is or was its own.
	key() string
	owns(key string) bool
	// change changes some of its settings.
	change(random *rand.Rand)
	clone() object
	hcl(at place) string
	// settings are those of the configuration, and of are the same of what the service holds.
	settings() settings
	of(f found) settings
	// meddle changes the object in the service as another user would, and describes the change. meanwhile is set during a change of
	// Terraform's.
	meddle(random *rand.Rand, s *service, f found, meanwhile bool) string
}

// place is where a world's deployments go.
type place struct{ listenerID, namespace, integrationID string }

// kind is a type of object.
type kind struct {
	typeName string
	list     func(s *service) []found
}

// found is an object that exists in the service.
type found struct {
	// importID is its import ID, and identifies it in paths.
	id, key, importID string
	// body is a deployment, or what JSON makes of others.
	body any
}

// settings are what an object is configured to, or what the service holds of that, as texts by their names. Everything
// that isn't configured is left out of both, but for variables, if the configuration is the only one to say them.
type settings map[string]string

// differences are the names of the settings in which two differ, with both values.
func differences(want, got settings) map[string]string {
	wrong := map[string]string{}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got))) {
		if want[name] != got[name] {
			wrong[name] = fmt.Sprintf("%s is %q, not %q", name, got[name], want[name])
		}
	}
	return wrong
}

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

func chance(random *rand.Rand, of float64) bool { return random.Float64() < of }

func value(random *rand.Rand) string { return fmt.Sprintf("value-%06d", random.IntN(1_000_000)) }
