package framework

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/poll"
)

// An object leaves the state only when the service says twice, some seconds apart, that it is gone: a single answer may come from a
// service whose reads lag behind its writes, or from something in front of it.

const (
	// provenAfter is the time between the two looks.
	provenAfter = 3 * time.Second
	// unseenTime is how long such an object stays in state at least.
	unseenTime = 10 * time.Minute
)

// Missing is why an object counts as gone that the service doesn't show.
const Missing = "no longer exists"

// Presence is what a refresh found out about an object.
type Presence int

// The values of Presence.
const (
	// Shown means that the service shows the object.
	Shown Presence = iota
	// NotShown means that the service has not shown the object since its creation, some minutes ago.
	NotShown
	// Gone means that the object is proved to be gone.
	Gone
)

// Look looks for an object once. It returns why the object counts as gone, as a predicate like Missing, and nothing if it doesn't.
// p may differ from the configured provider in what it remembers.
type Look[T any] func(ctx context.Context, p *ProviderData) (found T, gone string, diags diag.Diagnostics)

// LookTwice looks for an object of a state, a second time if it counts as gone. If it is gone, a warning says why, and that it leaves the state:
// who keeps it drops that. noun and label are its words in messages.
func LookTwice[T any](
	ctx context.Context, p *ProviderData, private PrivateReader, noun, label string, look Look[T],
) (found T, presence Presence, diags diag.Diagnostics) {
	first := *p
	first.source = &source{}
	found, gone, diags := look(ctx, &first)
	if gone == "" || diags.HasError() {
		return found, Shown, diags
	}
	if gone == Missing {
		var created time.Time
		diags = LoadPrivate(ctx, private, unseenKey, &created)
		if !created.IsZero() && p.Now().Sub(created) < unseenTime {
			diags.AddWarning(capital(noun)+" is not shown by the service", fmt.Sprintf("%s %s was created at %s, and no read has shown it "+
				"since. It stays in state; plan again in a minute.", capital(noun), label, created.Format(time.RFC3339)))
			return found, NotShown, diags
		}
	}
	if err := first.awaitAgain(ctx); err != nil {
		return found, Shown, Failure{Summary: "Cannot read " + noun}.Diagnostics(err)
	}
	again := *p
	again.again = true
	found, gone, diags = look(ctx, &again)
	if gone == "" || diags.HasError() {
		return found, Shown, diags
	}
	diags.AddWarning(capital(noun)+" is gone", fmt.Sprintf("%s %s %s. It is removed from the state. The next apply creates it again, with another "+
		"ID, unless you also remove it from the configuration.", capital(noun), label, gone))
	return found, Gone, diags
}

// RememberList is Remember for a list of a workspace that a single request, or a sequence of pages, has returned.
func RememberList[T any](p *ProviderData, name string, c *client.Client, ask func() ([]T, error)) ([]T, error) {
	type listing struct {
		items []T
		at    time.Time
	}
	l, err := Remember(p.Memo, p.AnswersKey(name, c), func() (listing, error) {
		items, err := ask()
		return listing{items, p.Now()}, err
	})
	p.answersFrom(func() time.Time { return l.at })
	return l.items, err
}

// awaitAgain waits until a second look counts. Objects that one list doesn't have wait together: of a thousand, only the first ones wait.
func (p *ProviderData) awaitAgain(ctx context.Context) error {
	wait := provenAfter
	if listed := p.source.listed; listed != nil && !listed().IsZero() {
		wait -= p.Now().Sub(listed())
	}
	if wait <= 0 {
		return nil
	}
	return p.Policy().Sleep(ctx, wait)
}

func capital(noun string) string { return strings.ToUpper(noun[:1]) + noun[1:] }

// MarkUnseen records that an object has just been created, and that no read has shown it yet.
func (p *ProviderData) MarkUnseen(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	return SavePrivate(ctx, private, unseenKey, p.Now())
}

// shownTime is how long the reads of a service may lag behind a creation.
const shownTime = 30 * time.Second

// AwaitShown reads an object that has just been created, until the service shows it. If no read does, that is recorded, and a warning says
// why: the object may be there all the same.
func (p *ProviderData) AwaitShown(ctx context.Context, private PrivateWriter, object string, read func(context.Context) error) diag.Diagnostics {
	_, err := poll.Until(ctx, p.Policy(), shownTime, func(ctx context.Context) (struct{}, bool, error) {
		err := read(ctx)
		return struct{}{}, err == nil, err
	})
	if err == nil {
		return nil
	}
	const stays = " It stays in state; plan again in a minute."
	warning := diag.NewWarningDiagnostic(object+" isn't shown by the service", "It was created, but reading it doesn't show it."+stays)
	if !client.IsNotFound(err) {
		warning = diag.NewWarningDiagnostic(object+" can't be read", "It was created, but reading it failed: "+Sentence(err.Error())+stays)
	}
	return append(p.MarkUnseen(ctx, private), warning)
}

// MarkSeen records that a read has shown an object.
func MarkSeen(ctx context.Context, private PrivateWriter) diag.Diagnostics {
	return ClearPrivate(ctx, private, unseenKey)
}

// Label names an object by what users call it and its ID. An import may know only the ID.
func Label(name, id types.String) string {
	if name.ValueString() == "" {
		return id.ValueString()
	}
	return fmt.Sprintf("%q (%s)", name.ValueString(), id.ValueString())
}
