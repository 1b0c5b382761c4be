package core

import "testing"

func TestIsOpen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tasks map[string]*task
		want  bool
	}{
		"one":          {map[string]*task{"a": {asks: true}}, false},
		"two":          {map[string]*task{"a": {asks: true}, "b": {asks: true}}, true},
		"core's own":   {map[string]*task{"a": {asks: true}, "b": {}}, false},
		"a chain":      {map[string]*task{"a": {asks: true, after: []string{"b"}}, "b": {after: []string{"c"}}, "c": {asks: true}}, false},
		"a common end": {map[string]*task{"a": {asks: true, after: []string{"c"}}, "b": {asks: true, after: []string{"c"}}, "c": {asks: true}}, true},
		"not planned":  {map[string]*task{"a": {asks: true, after: []string{"gone"}}}, false},
	} {
		if got := isOpen(test.tasks); got != test.want {
			t.Errorf("%s: isOpen = %t, want %t", name, got, test.want)
		}
	}
}
