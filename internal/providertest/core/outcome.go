package core

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Outcome is what a call, or several, reported.
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

// invalid is the outcome of parsing or evaluating a configuration.
func invalid(diags hcl.Diagnostics) (o Outcome) {
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			o.join(failure(d.Summary, d.Detail))
		}
	}
	return o
}

// failure is a single error.
func failure(summary, detail string) Outcome {
	return Outcome{Diagnostics: []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}}}
}

// Failed reports whether core would stop after the call.
func (o Outcome) Failed() bool {
	return len(o.Broken) > 0 || slices.ContainsFunc(o.Diagnostics, isError)
}

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

// Err returns what stops core, in the words of a CLI and their order but without its frames; nil if nothing does.
func (o Outcome) Err() error {
	if !o.Failed() {
		return nil
	}
	var b strings.Builder
	for _, d := range o.Diagnostics {
		if isError(d) {
			fmt.Fprintf(&b, "Error: %s\n\n%s\n\n", d.Summary, d.Detail)
		}
	}
	for _, rule := range o.Broken {
		fmt.Fprintf(&b, "Error: %s\n\nThis is a bug in the provider.\n\n", rule)
	}
	return errors.New(b.String())
}
