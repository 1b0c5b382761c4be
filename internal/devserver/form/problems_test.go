package form_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// TestProblems expects an answer to list a hundred problems, and how many others there are.
func TestProblems(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 100, 101, 250_000} {
		var all form.Problems
		for i := range n {
			all.Report(api.ValidationError{Loc: []api.LocStep{api.Key("body"), api.Key("secrets"), api.Index(i)}, Msg: "Field required", Type: "missing"})
		}
		err := all.Err()
		if n == 0 {
			if err != nil {
				t.Errorf("error = %v without problems", err)
			}
			continue
		}
		refused, is := errors.AsType[*form.Error](err)
		if !is || refused.Kind != form.Unprocessable {
			t.Fatalf("error = %v, want one of fields", err)
		}
		if want := min(n, 101); len(refused.Fields) != want {
			t.Fatalf("%d elements for %d problems, want %d", len(refused.Fields), n, want)
		}
		last := refused.Fields[len(refused.Fields)-1]
		switch n {
		case 101:
			if last.Msg != "1 more problems are not listed" || last.Type != "too_many_problems" || len(last.Loc) != 1 || last.Loc[0].Key != "body" {
				t.Errorf("element 101 = %+v, want how many more there are", last)
			}
		case 250_000:
			if last.Msg != "249900 more problems are not listed" {
				t.Errorf("element 101 = %+v, want how many more there are", last)
			}
		}
	}
}

// TestProblems_long expects long names and texts to be cut, and the answer to end before they fill it.
func TestProblems_long(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 1<<20)
	problem := api.ValidationError{Loc: []api.LocStep{api.Key("body"), api.Key(long)}, Msg: long, Type: "missing"}
	err := form.OfFields(problem, problem)
	if got := len(err.Error()); got > 3*limits.ProblemBytes {
		t.Errorf("the error has %d bytes", got)
	}
	if problem.Loc[1].Key != long {
		t.Error("the location of the problem was changed, not that of the answer")
	}
	var all form.Problems
	for range 1000 {
		all.Report(problem)
	}
	if got := len(all.Err().Error()); got > limits.ProblemsBytes+2*limits.ProblemBytes {
		t.Errorf("the error of many problems has %d bytes", got)
	}
	if got := len(form.Missing("%s", long).Text(api.Neutral)); got > limits.ProblemBytes+len("…") {
		t.Errorf("the text has %d bytes", got)
	}
}
