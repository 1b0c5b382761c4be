package framework

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
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
	// AttributePath converts the location of a 422 (without its leading "body") into a path of the schema. If it is nil or returns
	// false, the problem is attached to the whole resource.
	AttributePath func([]api.LocStep) (path.Path, bool)
	// Names are the attributes whose names differ from the words of the service, by these.
	Names map[string]string
	// NextSteps are remedies by status that only the caller knows. They take precedence over the general ones, except for
	// that of a 404 for an Existing object. A remedy for a known message of the service takes precedence over all.
	NextSteps map[int]string
	// Existing names the object that the operation changes or deletes, such as: deployment 0f0e…. A 404 then means that it may be gone.
	// Gone, if not nil, asks the service whether it is.
	Existing string
	Gone     func() bool
	// TimeUp is the remedy if the operation has timed out.
	TimeUp string
	// Last is a paragraph at the end of every error. It may be empty.
	Last string
}

// Diagnostics translates err. A 422 results in one diagnostic for each of its entries, any other error in exactly one.
func (f Failure) Diagnostics(err error) diag.Diagnostics {
	refused, answered := errors.AsType[*client.Error](err)
	// The text of an unknown outcome contains its remedy; the response that caused it has none.
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	if unknown || !answered {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, paragraphs(Sentence(err.Error())+unreachable(err)+f.timeUp(err), f.Last))}
	}
	if len(refused.Validation) == 0 {
		return diag.Diagnostics{diag.NewErrorDiagnostic(f.Summary, f.detail(refused, f.named(message(refused)))+f.timeUp(err))}
	}
	var diags diag.Diagnostics
	for _, problem := range refused.Validation {
		at, ok := f.attributePath(problem.Loc)
		if ok {
			// The text names the attribute too: during an apply, the CLI shows only the first line of the resource.
			diags.AddAttributeError(at, f.Summary, f.detail(refused, at.String()+": "+Sentence(problem.Msg)))
			continue
		}
		diags.AddError(f.Summary, f.detail(refused, f.named(Sentence(located(problem)))))
	}
	return diags
}

// unreachable returns the remedy if there was no response. If the outcome of a write is unknown, other remedies come first.
func unreachable(err error) string {
	_, unknown := errors.AsType[*client.OutcomeUnknownError](err)
	_, lost := errors.AsType[*client.TransportError](err)
	if unknown || !lost {
		return ""
	}
	return "\n\nCheck the network and any proxy between this machine and the service, then apply again."
}

// timeUp returns a separate paragraph, because the last response may have a different remedy.
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

// detail returns the server's message, then status and request ID, then the remedy if one is known.
func (f Failure) detail(e *client.Error, message string) string {
	var b strings.Builder
	b.WriteString(message)
	fmt.Fprintf(&b, "\n\nStatus: %d", e.Status)
	if e.RequestID != "" {
		fmt.Fprintf(&b, " · request id: %s", e.RequestID)
	}
	return paragraphs(b.String(), f.nextStep(e), e.Doubt, f.Last)
}

// named replaces the service's words for attributes.
func (f Failure) named(message string) string {
	for word, name := range f.Names {
		message = regexp.MustCompile(`\b`+word+`\b`).ReplaceAllString(message, name)
	}
	return message
}

// paragraphs joins those that aren't empty.
func paragraphs(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(p string) bool { return p == "" }), "\n\n")
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
	return Sentence(e.Detail)
}

// located returns the problem, after its location if the service returns one.
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

// Sentence ends s with one full stop: messages, with or without one, are followed by more text.
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], "!?") {
		return s
	}
	return strings.TrimRight(s, ".") + "."
}

// Plural is a number of things: 1 token, 2 tokens.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// AsWarnings turns errors into warnings, for operations that must not fail: a failed creation is tainted and then replaced. The
// paragraphs are added to each.
func AsWarnings(diags diag.Diagnostics, paragraphs ...string) diag.Diagnostics {
	var warnings diag.Diagnostics
	for _, d := range diags {
		warnings.AddWarning(d.Summary(), strings.Join(append([]string{d.Detail()}, paragraphs...), "\n\n"))
	}
	return warnings
}

// WithNextStep ends each error with a paragraph that says what to do.
func WithNextStep(diags diag.Diagnostics, step string) diag.Diagnostics {
	var all diag.Diagnostics
	for _, d := range diags {
		all.AddError(d.Summary(), d.Detail()+"\n\n"+step)
	}
	return all
}

// nextStep returns the remedy for a response; empty if none is known.
func (f Failure) nextStep(e *client.Error) string {
	for _, known := range spoken {
		for _, words := range known.words {
			if e.Status == known.status && strings.Contains(e.Detail, words) {
				return known.step
			}
		}
	}
	if step := misdirected(e); step != "" {
		return step
	}
	switch step := f.NextSteps[e.Status]; {
	case e.Status == http.StatusNotFound && f.Existing != "":
		return f.deleted(e)
	case step != "":
		return step
	}
	return byStatus(e)
}

// deleted is the remedy for a 404 for an object that existed when the plan was made. A single 404 proves nothing.
func (f Failure) deleted(e *client.Error) string {
	if client.IsNotFound(e) && f.Gone != nil && f.Gone() {
		return fmt.Sprintf("%s no longer exists: it was deleted after this plan. Plan again.", strings.ToUpper(f.Existing[:1])+f.Existing[1:])
	}
	return fmt.Sprintf("The service answers 404 for %s: it may have been deleted after this plan. Plan again. Check the ID, workspace_id and "+
		"base_url if that finds it.", f.Existing)
}
