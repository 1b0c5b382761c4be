package core

import "testing"

func TestIsOpen(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tasks map[string]*task
		want  bool
	}{
		"one":          {map[string]*task{"a": {plans: true}}, false},
		"two":          {map[string]*task{"a": {plans: true}, "b": {plans: true}}, true},
		"core's own":   {map[string]*task{"a": {plans: true}, "b": {}}, false},
		"a chain":      {map[string]*task{"a": {plans: true, after: []string{"b"}}, "b": {after: []string{"c"}}, "c": {plans: true}}, false},
		"a common end": {map[string]*task{"a": {plans: true, after: []string{"c"}}, "b": {plans: true, after: []string{"c"}}, "c": {plans: true}}, true},
		"not planned":  {map[string]*task{"a": {plans: true, after: []string{"gone"}}}, false},
	} {
		if got := isOpen(test.tasks); got != test.want {
			t.Errorf("%s: isOpen = %t, want %t", name, got, test.want)
		}
	}
}
