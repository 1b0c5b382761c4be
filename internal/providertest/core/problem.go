package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

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

func isError(d *tfprotov6.Diagnostic) bool { return d.Severity == tfprotov6.DiagnosticSeverityError }

func hasErrors(diags []*tfprotov6.Diagnostic) bool { return slices.ContainsFunc(diags, isError) }

// errorsOf returns the errors in a response of the provider.
func errorsOf(address string, diags []*tfprotov6.Diagnostic) problems {
	var all problems
	for _, d := range diags {
		if isError(d) {
			all = append(all, problem{d.Summary, d.Detail, address})
		}
	}
	return all
}

// problems are the reasons for which core would stop after a call.
func (o Outcome) problems(address string, err error) problems {
	all := errorsOf(address, o.Diagnostics)
	if err != nil {
		all = append(all, problem{"Plugin error", err.Error(), address})
	}
	for _, rule := range o.Broken {
		all = append(all, problem{rule, "This is a bug in the provider.", address})
	}
	return all
}
