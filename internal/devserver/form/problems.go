package form

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
)

// Problems collects what is wrong with fields. It keeps the first ones and counts the others: each of a million elements can be wrong.
type Problems struct {
	kept        []api.ValidationError
	size, total int
}

// Add adds a problem.
func (p *Problems) Add(loc []api.LocStep, kind, format string, args ...any) {
	p.Report(api.ValidationError{Loc: loc, Msg: fmt.Sprintf(format, args...), Type: kind})
}

// Report adds a problem that was found elsewhere.
func (p *Problems) Report(problem api.ValidationError) {
	p.total++
	if len(p.kept) == limits.Problems || p.size > limits.ProblemsBytes {
		return
	}
	problem.Msg = ShortenedText(problem.Msg)
	for i, step := range problem.Loc {
		if len(step.Key) > limits.ProblemKey {
			problem.Loc = slices.Clone(problem.Loc)
			problem.Loc[i].Key = shortened(step.Key, limits.ProblemKey)
		}
		p.size += len(problem.Loc[i].Key)
	}
	p.size += len(problem.Msg)
	p.kept = append(p.kept, problem)
}

// Err returns an error for the request if there are problems.
func (p *Problems) Err() error {
	if p.total == 0 {
		return nil
	}
	return &Error{Kind: Unprocessable, Fields: p.fields()}
}

// fields returns the problems that were kept, and how many there are beyond them.
func (p *Problems) fields() []api.ValidationError {
	more := p.total - len(p.kept)
	if more == 0 {
		return p.kept
	}
	first := p.kept[0].Loc
	return append(slices.Clip(p.kept), api.ValidationError{
		Loc: first[:min(1, len(first))], Msg: fmt.Sprintf("%d more problems are not listed", more), Type: "too_many_problems",
	})
}

// ShortenedText returns the text of a refusal, which may quote all of a request, or its beginning with an ellipsis.
func ShortenedText(text string) string { return shortened(text, limits.ProblemBytes) }

// shortened returns a text, or its first bytes with an ellipsis.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
