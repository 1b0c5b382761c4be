package framework

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
)

// Failure translates the error of an API call into diagnostics.
type Failure struct {
	// Summary is the first line, for example: Cannot create deployment "chat".
	Summary string
	// AttributePath turns the location of a 422 (without its leading "body") into a path of the schema. Nil, or false,
	// attaches the problem to the whole resource.
	AttributePath func([]api.LocStep) (path.Path, bool)
	// NextSteps are remedies by status that only the caller knows; they win over the general ones, and what the
	// service's own words call for wins over both.
	NextSteps map[int]string
	// TimeUp is what to do when the operation took longer than it may.
	TimeUp string
}

// Diagnostics translates err. A 422 gives one diagnostic for each of its entries, everything else exactly one.
func (f Failure) Diagnostics(err error) diag.Diagnostics {
	refused, answered := errors.AsType[*client.Error](err)
	// What to do about an unknown outcome stands in its own text, not in the answer that left it open.
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	if unknown || !answered {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, sentence(err.Error())+unreachable(err)+f.timeUp(err))}
	}
	if len(refused.Validation) == 0 {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, f.detail(refused, message(refused))+f.timeUp(err))}
	}
	var diags diag.Diagnostics
	for _, problem := range refused.Validation {
		at, ok := f.attributePath(problem.Loc)
		if ok {
			// Named in the text as well: of an apply, the CLI shows no more than the first line of the resource.
			diags.AddAttributeError(at, f.Summary, f.detail(refused, at.String()+": "+sentence(problem.Msg)))
			continue
		}
		diags.AddError(f.Summary, f.detail(refused, sentence(located(problem))))
	}
	return diags
}

// unreachable is what to do where no answer came. Whoever doesn't know what became of a write has other things to do first.
func unreachable(err error) string {
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	_, lost := errors.AsType[*client.TransportError](err)
	if unknown || !lost {
		return ""
	}
	return "\n\nCheck the network and any proxy between this machine and the service, then apply again."
}

// timeUp is a paragraph of its own, because the answer that came last may have another next step.
func (f Failure) timeUp(err error) string {
	if f.TimeUp == "" || !errors.Is(err, context.DeadlineExceeded) {
		return ""
	}
	return "\n\n" + f.TimeUp
}

func (f Failure) attributePath(loc []api.LocStep) (path.Path, bool) {
	if f.AttributePath == nil || len(loc) < 2 || loc[0].Key != "body" {
		return path.Empty(), false
	}
	return f.AttributePath(loc[1:])
}

// detail is the server's message, then status and request id, then the next step where one is known.
func (f Failure) detail(e *client.Error, message string) string {
	var b strings.Builder
	b.WriteString(message)
	fmt.Fprintf(&b, "\n\nStatus: %d", e.Status)
	if e.RequestID != "" {
		fmt.Fprintf(&b, " · request id: %s", e.RequestID)
	}
	if step := f.nextStep(e); step != "" {
		b.WriteString("\n\n")
		b.WriteString(step)
	}
	return b.String()
}

func message(e *client.Error) string {
	switch {
	case e.HTML && e.Detail != "":
		return fmt.Sprintf("%s %s returned a web page (%q) instead of a response of the control plane.", e.Method, e.Path, e.Detail)
	case e.HTML:
		return fmt.Sprintf("%s %s returned a web page instead of a response of the control plane.", e.Method, e.Path)
	case e.Detail == "":
		return fmt.Sprintf("%s %s was refused without an explanation.", e.Method, e.Path)
	}
	return sentence(e.Detail)
}

// located is the problem after the place that it is about, if the service names one.
func located(problem api.ValidationError) string {
	if len(problem.Loc) == 0 {
		return problem.Msg
	}
	var b strings.Builder
	for i, step := range problem.Loc {
		switch {
		case step.Index != nil:
			fmt.Fprintf(&b, "[%d]", *step.Index)
		case i > 0:
			b.WriteString("." + step.Key)
		default:
			b.WriteString(step.Key)
		}
	}
	return b.String() + ": " + problem.Msg
}

// sentence ends s with a full stop: messages are followed by more text.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// AsWarnings are diags for an operation that must not fail: a creation that fails is tainted, and replaced.
func AsWarnings(diags diag.Diagnostics) diag.Diagnostics {
	var warnings diag.Diagnostics
	for _, d := range diags {
		warnings.AddWarning(d.Summary(), d.Detail())
	}
	return warnings
}
