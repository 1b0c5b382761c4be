package core

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// problem is an error as a CLI shows it.
type problem struct {
	summary, detail string
	// address is the resource that the error is about, in is its block and at the attribute or the block. They are empty
	// if unknown.
	address, in string
	at          hcl.Range
}

// problems ends an operation if there are any.
type problems []problem

// Error has the words of a CLI in their order, but not its frames.
func (p problems) Error() string {
	var b strings.Builder
	for _, problem := range p {
		fmt.Fprintf(&b, "Error: %s\n\n", problem.summary)
		if problem.address != "" {
			fmt.Fprintf(&b, "  with %s,\n", problem.address)
		}
		if problem.at.Filename != "" {
			fmt.Fprintf(&b, "  on %s line %d, in %s:\n", problem.at.Filename, problem.at.Start.Line, problem.in)
		}
		fmt.Fprintf(&b, "\n%s\n\n", problem.detail)
	}
	return b.String()
}

// failure is a single problem.
func failure(summary, format string, args ...any) problems {
	return problems{{summary: summary, detail: fmt.Sprintf(format, args...)}}
}

// syntaxProblems converts the diagnostics of the parser or evaluator.
func syntaxProblems(diags hcl.Diagnostics) problems {
	var all problems
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		p := problem{summary: d.Summary, detail: d.Detail, in: "the configuration"}
		if d.Subject != nil {
			p.at = *d.Subject
		}
		all = append(all, p)
	}
	return all
}

// answerProblems returns the errors in a response of the provider. block may be nil.
func answerProblems(diags []*tfprotov6.Diagnostic, address string, block *block) problems {
	var all problems
	for _, d := range diags {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			all = append(all, block.locate(problem{summary: d.Summary, detail: d.Detail, address: address}, d.Attribute))
		}
	}
	return all
}

// locate finds the place of a problem in the configuration.
func (b *block) locate(p problem, path *tftypes.AttributePath) problem {
	if b == nil {
		return p
	}
	p.in, p.at = b.title, b.at
	if path == nil || len(path.Steps()) == 0 {
		return p
	}
	if name, ok := path.Steps()[0].(tftypes.AttributeName); ok {
		if attribute, ok := b.arguments[string(name)]; ok {
			p.at = attribute.Range
		}
	}
	return p
}

// broken is core's error for a provider that violates a rule.
func broken(summary, address string, wrong []string) problems {
	if len(wrong) == 0 {
		return nil
	}
	return problems{{
		summary: summary, address: address,
		detail: "This is a bug in the provider:\n" + strings.Join(wrong, "\n"),
	}}
}
