package client

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/message"
	"github.com/agentplane/terraform-provider-agentplane/internal/llmrun/timestamp"
)

// RunConfig is what is known of a run at its start. Its zero value is a run of the type chain in the project "default".
type RunConfig struct {
	// ID is made where it is uuid.Nil. Whoever logs one run in several processes, or once more, has to name it.
	ID uuid.UUID
	// Name is the run type where it is empty.
	Name    string
	RunType llmrun.RunType
	// ProjectName is created by the service if there is no such project. ProjectID has to exist, and wins.
	ProjectName, ProjectID string
	// Inputs that aren't an object become the member "input" of one.
	Inputs json.RawMessage
	// Metadata joins what Extra, an object, has under "metadata", and wins.
	Metadata map[string]any
	Extra    json.RawMessage
	Tags     []string
	// StartTime is now where it is zero.
	StartTime time.Time
}

// RunTree is a run that is under way, and the way to the runs below it. Its life is NewRun, Post, NewToken as the
// first token arrives, End and Patch. It is safe for concurrent use, as are its children.
//
// Nothing that goes wrong with the content of a run keeps the run from being logged: see RunContentError.
type RunTree struct {
	client *Client
	place  llmrun.DottedOrder
	// base is what is said of the run in every request.
	base   api.RunIngest
	inputs json.RawMessage

	mu sync.Mutex
	// posted says that the service has got the inputs.
	posted           bool
	outputs          json.RawMessage
	failure, endTime string
	events           []api.RunEvent
	tags             []string
	// metadata stands for the member of extra.
	extra, metadata map[string]json.RawMessage
	// problems have not been reported yet.
	problems []error
}

// NewRun begins a trace. It sends nothing.
func (c *Client) NewRun(cfg RunConfig) *RunTree {
	t := c.newRunTree(cfg, nil)
	t.base.SessionID = cfg.ProjectID
	if cfg.ProjectID == "" {
		t.base.SessionName = cfg.ProjectName
	}
	return t
}

// Child begins a run below t, in its trace and in its project, whatever project cfg names. It sends nothing, and doesn't
// mind whether t has been sent.
func (t *RunTree) Child(cfg RunConfig) *RunTree {
	child := t.client.newRunTree(cfg, t.place)
	child.base.SessionID, child.base.SessionName = t.base.SessionID, t.base.SessionName
	return child
}

func (c *Client) newRunTree(cfg RunConfig, parent llmrun.DottedOrder) *RunTree {
	run := llmrun.Run{ID: cfg.ID, Name: cfg.Name, RunType: cfg.RunType}
	if !cfg.StartTime.IsZero() {
		run.StartTime = &cfg.StartTime
	}
	// The order of ids of this version is that of the runs, which suits the indexes of the service.
	run.Complete(uuid.Must(uuid.NewV7()), c.cfg.Now())
	t := &RunTree{
		client: c, place: placed(parent, *run.StartTime, run.ID), tags: slices.Clone(cfg.Tags),
		extra: map[string]json.RawMessage{}, metadata: map[string]json.RawMessage{},
	}
	t.base = api.RunIngest{
		ID: run.ID.String(), TraceID: t.place.TraceID().String(), DottedOrder: t.place.String(),
		Name: run.Name, RunType: string(run.RunType), StartTime: timestamp.Format(*run.StartTime),
	}
	if above := t.place.ParentRunID(); above != uuid.Nil {
		t.base.ParentRunID = above.String()
	}
	t.inputs = t.logged(message.Inputs, cfg.Inputs)
	t.setExtra(cfg.Extra)
	t.AddMetadata(cfg.Metadata)
	return t
}

// placed is the place of a run below its parent. The service refuses one that is before its parent's, as the clocks of two
// machines easily make it; the run keeps its own start_time.
func placed(parent llmrun.DottedOrder, start time.Time, id uuid.UUID) llmrun.DottedOrder {
	if above, ok := parent.Last(); ok && start.Before(above.Time) {
		start = above.Time
	}
	return llmrun.NewDottedOrder(parent, start, id)
}

// ID is the id of the run.
func (t *RunTree) ID() uuid.UUID {
	own, _ := t.place.Last()
	return own.ID
}

// TraceID is the id of the run that the trace began with.
func (t *RunTree) TraceID() uuid.UUID { return t.place.TraceID() }

// DottedOrder is the place of the run in its trace.
func (t *RunTree) DottedOrder() llmrun.DottedOrder { return slices.Clone(t.place) }
