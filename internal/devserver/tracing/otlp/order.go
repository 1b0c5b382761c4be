package otlp

// ParentsFirst sorts each run after its parent, if that is among them. Programs export spans in the order in which they
// end, which is the reverse.
func ParentsFirst(runs []Run) []Run {
	type spanKey struct{ trace, span string }
	bySpan := make(map[spanKey][]int, len(runs))
	for i, run := range runs {
		key := spanKey{run.TraceID, run.SpanID}
		bySpan[key] = append(bySpan[key], i)
	}
	ordered, seen := make([]Run, 0, len(runs)), make([]bool, len(runs))
	var place func(i int)
	place = func(i int) {
		if seen[i] { // Already added, or its own ancestor.
			return
		}
		seen[i] = true
		if runs[i].ParentSpanID != "" {
			for _, parent := range bySpan[spanKey{runs[i].TraceID, runs[i].ParentSpanID}] {
				place(parent)
			}
		}
		ordered = append(ordered, runs[i])
	}
	for i := range runs {
		place(i)
	}
	return ordered
}
