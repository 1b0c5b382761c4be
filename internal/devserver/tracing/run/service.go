package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/form"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/limits"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/feedback"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/ingest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/tracing/price"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/turns"
)

// Service logs runs and answers queries of them.
type Service struct {
	Prices price.Service
	// MaxBytes is what a workspace may take in the database before its runs and examples are refused; zero means no limit.
	MaxBytes int64
	// Logged is called with what was stored of a request that logs runs or spans, and what was refused.
	Logged func(kind string, stored, refused int)

	store  *store.Store
	write  func(context.Context, store.Expected, func(*store.Tx) error) error // store.DoGrouped.
	now    func() time.Time
	memory *limits.Memory
	// derivations are the requests that are derived at the same time. Each workspace leaves processors to the others.
	derivations *turns.Turns
}

// New returns a service on a database, which shares the memory limit for bodies with other services.
func New(db *store.Store, now func() time.Time, memory *limits.Memory) *Service {
	return &Service{
		Logged: func(string, int, int) {}, store: db, write: db.DoGrouped, now: now, memory: memory,
		derivations: turns.New(math.MaxInt, (runtime.GOMAXPROCS(0)+1)/2),
	}
}

// View is what a request sees: the runs of its workspace, in one transaction.
type View struct {
	Tx          *store.Tx
	WorkspaceID string
	// Base is the URL at which the client reaches this server.
	Base string
}

// DefaultProject is the project of runs that don't name one.
const DefaultProject = "default"

// projectOf is the project that a run names, by its ID or its name.
type projectOf struct{ id, name string }

// checkProject refuses a run whose project can't exist.
func (d *draft) checkProject(runID string, of projectOf) error {
	switch {
	case len(of.name) > limits.ProjectName && of.id == "":
		return refuseRun(form.Unprocessable, runID, []string{fmt.Sprintf("session_name has %d bytes, but at most %d are allowed", len(of.name), limits.ProjectName)})
	case of.id == "" || d.projects[of.id]:
		return nil
	}
	d.projects[of.id] = true
	return d.read(func(tx *store.Tx) error {
		_, err := d.ensureProject(tx, runID, of)
		return err
	})
}

// ensureProject finds the project of a run. A missing project is created by name, but not by ID.
func (d *draft) ensureProject(tx *store.Tx, runID string, of projectOf) (string, error) {
	if of.id != "" {
		_, err := tx.Project(d.workspaceID, of.id)
		if errors.Is(err, store.ErrNotFound) {
			// Not 404: clients would conclude that the path doesn't exist, and switch to another one permanently.
			return "", refuseRun(form.Unprocessable, runID, []string{"session_id " + of.id +
				" is not a project of this workspace: create it, or send session_name, which creates the project if it doesn't exist"})
		}
		return of.id, err
	}
	name := cmp.Or(of.name, DefaultProject)
	project, err := tx.ProjectNamed(d.workspaceID, name)
	if store.Missing(&err) {
		project = store.Project{ID: uuid.NewString(), WorkspaceID: d.workspaceID, Name: name, StartTime: d.now}
		err = tx.EnsureProject(project)
	}
	return project.ID, err
}

// AgentID is the pattern of agent names.
var AgentID = regexp.MustCompile("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$")

// agentAddress is what runs contain instead of a project.
var agentAddress = regexp.MustCompile("^lrn:agents/([a-z0-9-]+)/environments/([A-Za-z0-9_-]+)$")

// projectAt returns the project name for a run's agent; empty if it names none.
func projectAt(said layers) string {
	for _, fields := range []ingest.Fields{said.patch, said.post} {
		var address string
		if json.Unmarshal(fields["address"], &address) != nil {
			continue
		}
		if found := agentAddress.FindStringSubmatch(address); len(found) > 0 && AgentID.MatchString(found[1]) {
			return AgentProject(found[1], found[2])
		}
	}
	return ""
}

// AgentProject returns the project name of an agent in an environment.
func AgentProject(id, environment string) string { return id + "/" + environment }

// prefixes begin the texts that refuse runs.
var prefixes = map[form.Kind]string{
	form.BadRequest:    "Bad request",
	form.Unprocessable: "Unprocessable entity",
}

// refuseRun names a run and its problems.
func refuseRun(kind form.Kind, id string, problems []string) error {
	text := prefixes[kind] + ": " + strings.Join(problems, "; ")
	if !strings.Contains(text, id) {
		text += " for run_id:" + id
	}
	return form.Refuse(kind, "%s", text)
}

// Space returns what a workspace takes in the database, in bytes, and the limit beyond which its runs are refused; zero means none.
func (s *Service) Space(tx *store.Tx, workspaceID string) (taken, limit int64, err error) {
	taken, err = tx.Occupied(workspaceID)
	return taken, s.MaxBytes, err
}

// checkSpace refuses whatever logs runs in a workspace that takes as much as it may. Clients drop what is refused as
// forbidden: they would send anything else again, and keep it in memory until then.
func (s *Service) checkSpace(ctx context.Context, workspaceID string) error {
	if s.MaxBytes <= 0 {
		return nil
	}
	taken, err := s.store.Occupied(ctx, workspaceID)
	if err != nil || taken < s.MaxBytes {
		return err
	}
	return form.Refuse(form.Forbidden, "Forbidden: the workspace takes %d bytes, "+
		"and the limit of this server is %d (-max-bytes): delete tracing projects that are no longer needed", taken, s.MaxBytes)
}

// entriesOf returns feedback that was sent along with runs.
func entriesOf(workspaceID string, all []ingest.Feedback, now time.Time) ([]feedback.Entry, error) {
	entries := make([]feedback.Entry, len(all))
	for i, one := range all {
		said, err := form.Decode[feedback.Body](one.Body, api.Neutral)
		if err == nil {
			said.ID = (*api.UUID)(&one.ID)
			entries[i], err = said.Entry(workspaceID, now)
		}
		if err != nil {
			return nil, refuseFeedback(one, err)
		}
	}
	return entries, nil
}

// refuseFeedback returns the answer to invalid feedback. Other errors are unchanged.
func refuseFeedback(one ingest.Feedback, err error) error {
	if refused, is := errors.AsType[*form.Error](err); is {
		return form.Refuse(form.Unprocessable, "%s: feedback %s: %s", prefixes[form.Unprocessable], one.ID, refused)
	}
	return err
}

// attachments returns those of runs, by the IDs of the runs.
func attachments(v View, rows []store.Run) (map[string][]store.Attachment, error) {
	all := map[string][]store.Attachment{}
	for some := range slices.Chunk(rows, limits.ListedIDs) {
		found, err := v.Tx.Attachments(v.WorkspaceID, form.Collect(some, func(row store.Run) string { return row.ID })...)
		if err != nil {
			return nil, err
		}
		for _, one := range found {
			all[*one.RunID] = append(all[*one.RunID], one)
		}
	}
	return all, nil
}

// attachmentSink stores attachments while they arrive. They belong to no run until their request has finished.
type attachmentSink struct {
	service     *Service
	workspaceID string
	kept        []string // The IDs of what was stored.
}

// Keep implements ingest.Sink.
func (s *attachmentSink) Keep(ctx context.Context, content io.Reader) (id string, size int64, err error) {
	if len(s.kept) == limits.Attachments {
		return "", 0, ingest.TooMany("attachments", limits.Attachments)
	}
	id = uuid.NewString() // Knowing it is enough to read the attachment.
	s.kept = append(s.kept, id)
	var seq int64
	begin := func(tx *store.Tx) (err error) {
		seq, err = tx.BeginAttachment(store.Attachment{ID: id, WorkspaceID: s.workspaceID, CreatedAt: s.service.now()})
		return err
	}
	of := store.Expected{WorkspaceID: s.workspaceID}
	size, err = store.Pieces(content, func(number int, piece store.Piece) error {
		return s.service.write(ctx, of, func(tx *store.Tx) error {
			if number == 0 {
				if err := begin(tx); err != nil {
					return err
				}
			}
			return tx.AppendAttachment(seq, number, piece)
		})
	})
	if err == nil && size == 0 {
		err = s.service.write(ctx, of, begin)
	}
	return id, size, err
}

// discard deletes what was stored for a refused request.
func (s *attachmentSink) discard(ctx context.Context) error {
	return s.service.drop(context.WithoutCancel(ctx), s.kept)
}

// SweepAttachments deletes attachments whose requests have never finished.
func (s *Service) SweepAttachments(ctx context.Context) error {
	var ids []string
	err := s.store.ReadTraced(ctx, func(tx *store.Tx) (err error) {
		ids, err = tx.AbandonedAttachments(s.now().Add(-limits.AttachmentTime))
		return err
	})
	if err != nil {
		return err
	}
	return s.drop(ctx, ids)
}

// drop deletes attachments that belong to no run, some pieces in each transaction.
func (s *Service) drop(ctx context.Context, ids []string) error {
	for len(ids) > 0 {
		var left []string
		err := s.write(ctx, store.Expected{}, func(tx *store.Tx) (err error) {
			left, err = tx.DropAttachments(ids)
			return err
		})
		if err != nil {
			return err
		}
		ids = left
	}
	return nil
}
