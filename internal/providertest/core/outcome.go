package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Outcome is what a call reported.
type Outcome struct {
	Diagnostics []*tfprotov6.Diagnostic
	// Broken are the rules of core that the call has broken.
	Broken []string
}

// outcome is that of a call. A call that fails, or whose response can't be decoded, breaks a rule, too.
func outcome(diags []*tfprotov6.Diagnostic, err error) Outcome {
	o := Outcome{Diagnostics: diags}
	if err != nil {
		o.broke("Plugin error", err.Error())
	}
	return o
}

// Failed reports whether core would stop after the call.
func (o Outcome) Failed() bool { return len(o.Broken) > 0 || hasErrors(o.Diagnostics) }

// join adds what another call reported.
func (o *Outcome) join(more Outcome) {
	o.Diagnostics, o.Broken = append(o.Diagnostics, more.Diagnostics...), append(o.Broken, more.Broken...)
}

// What core calls a provider's breach of its rules.
const (
	invalidPlan, inconsistentPlan     = "Provider produced invalid plan", "Provider produced inconsistent final plan"
	invalidObject, inconsistentResult = "Provider produced invalid object", "Provider produced inconsistent result after apply"
)

// broke adds rules that the call has broken, under core's summary.
func (o *Outcome) broke(summary string, rules ...string) {
	for _, rule := range rules {
		o.Broken = append(o.Broken, summary+": "+rule)
	}
}

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

func hasErrors(diags []*tfprotov6.Diagnostic) bool { return slices.ContainsFunc(diags, isError) }

// problem is an error as a CLI shows it. address is the resource that it is about; it is empty if unknown.
type problem struct{ summary, detail, address string }

// problems ends an operation if there are any.
type problems []problem

// Error has the words of a CLI in their order, but not its frames.
func (p problems) Error() string {
	var b strings.Builder
	for _, problem := range p {
		fmt.Fprintf(&b, "Error: %s\n\n", problem.summary)
		if problem.address != "" {
			fmt.Fprintf(&b, "  with %s,\n\n", problem.address)
		}
		fmt.Fprintf(&b, "%s\n\n", problem.detail)
	}
	return b.String()
}

// err is nil without problems.
func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}

// failure is a single problem.
func failure(summary, format string, args ...any) problems {
	return problems{{summary: summary, detail: fmt.Sprintf(format, args...)}}
}

// syntaxProblems are the errors of the parser or of an evaluation.
func syntaxProblems(diags hcl.Diagnostics) problems {
	var all problems
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			all = append(all, problem{summary: d.Summary, detail: d.Detail})
		}
	}
	return all
}

// problems are the reasons for which core would stop after a call.
func (o Outcome) problems(address string) problems {
	var all problems
	for _, d := range o.Diagnostics {
		if isError(d) {
			all = append(all, problem{d.Summary, d.Detail, address})
		}
	}
	for _, rule := range o.Broken {
		all = append(all, problem{rule, "This is a bug in the provider.", address})
	}
	return all
}
