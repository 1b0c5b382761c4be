package bench

import (
	"maps"
	"slices"
	"testing"
)

// BenchmarkCalls makes the calls of a plan for one unchanged resource. A Read begins with a new connection to a service that
// answers from memory; the provider is started beforehand.
func BenchmarkCalls(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(configurations(b, startPlane(b)))) {
		e := newExisting(b, name)
		for _, c := range calls {
			b.Run(name+"/"+c.name, func(b *testing.B) {
				b.ReportAllocs()
				p := e.provider(b)
				for b.Loop() {
					if c.fresh {
						b.StopTimer()
						p = e.provider(b)
						b.StartTimer()
					}
					if err := c.call(e, b.Context(), p); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
