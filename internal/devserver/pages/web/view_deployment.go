package web

import "time"

// DeploymentsView is the list of deployments.
type DeploymentsView struct {
	Frame
	Filter DeploymentFilter
	// Deployments are those of this page of the list, in its order. None shows how to make one or, when a filter is set,
	// how to see all.
	Deployments []DeploymentSummary
	Paging      Paging
	// Live is the list.
	Live Live
}

// DeploymentFilter is what the form above the list says. It is sent as the query of the list's own path, under the names
// of the API's parameters: name_contains, status, deployment_type. Empty means any.
type DeploymentFilter struct {
	NameContains, Status, DeploymentType string
	// Statuses and DeploymentTypes are what can be chosen.
	Statuses, DeploymentTypes []string
}

// Set says that the list is not all there is.
func (f DeploymentFilter) Set() bool {
	return f.NameContains != "" || f.Status != "" || f.DeploymentType != ""
}

// DeploymentSummary is a deployment in a list, and the head of its own page. Texts that are empty are left out.
type DeploymentSummary struct {
	ID, Name, DisplayName string
	// Source, DeploymentType and Status are the API's words, as in external_container, dev, READY.
	Source, DeploymentType, Status string
	// LatestRevisionStatus is the API's word, as in DEPLOYED; empty while there is no revision.
	LatestRevisionStatus string
	CreatedAt, UpdatedAt time.Time
}

// DeploymentView is one deployment.
type DeploymentView struct {
	Frame
	// Deployment is the head of the page. Its statuses are those of Timeline, which are kept up to date.
	Deployment DeploymentSummary
	// Configuration is shown as a table, in this order, under the API's own names, as in
	// source_config.resource_spec.cpu. Leave out what isn't set. Secret values have no place here.
	Configuration []Setting
	// EnvironmentNames are the names of environment variables, SecretReferenceNames those of references to secrets. There
	// is no field for values.
	EnvironmentNames, SecretReferenceNames []string
	// ProjectID leads to the tracing project of the deployment; empty shows no link.
	ProjectID string
	Timeline  TimelineView
	// HCL manages the deployment with Terraform: an import block and a resource.
	HCL string
	// Live is the timeline.
	Live Live
}

// TimelineView is the part of a deployment's page that moves.
type TimelineView struct {
	// DeploymentStatus is the API's word.
	DeploymentStatus string
	// Revisions are newest first.
	Revisions []Revision
	Paging    Paging
	// DeploymentID leads to the logs of the revisions.
	DeploymentID string
	// ProjectID leads to the traces of the revisions; empty shows no link.
	ProjectID string
	// Deleted says that there is nothing any more.
	Deleted bool
}

// Revision is a rollout.
type Revision struct {
	ID string
	// Status is the API's word, StatusMessage the reason of a failure.
	Status, StatusMessage string
	// Reference is what is rolled out: an image, or a ref and its commit.
	Reference string
	// Active says that it is the revision that serves.
	Active    bool
	CreatedAt time.Time
	// Elapsed is from creation to the end, or until now; nil when it isn't known.
	Elapsed *time.Duration
	// States are those that the rollout has passed through, in order; the current or final one may be the last. None shows
	// none.
	States []RevisionState
	// Changes are what is configured otherwise than in the revision before.
	Changes []Change
	// Logs are the last lines of each log.
	Logs []Log
}

// Change is a setting that differs from the revision before; empty texts are of what isn't set.
type Change struct{ Name, Before, After string }

// Log is what a builder or the runtime has written, the oldest line first.
type Log struct {
	// Label is as in "Build log".
	Label string
	Lines []LogLine
	// Omitted is how many lines came before.
	Omitted int64
}

// LogLine is a line of a log; the level is as in ERROR.
type LogLine struct {
	Time           time.Time
	Level, Message string
}

// LogsView is the logs of a revision.
type LogsView struct {
	Frame
	DeploymentID, DeploymentName, RevisionID string
	// Search is what the lines that are shown have to contain.
	Search string
	Logs   []Log
}

// RevisionState is a state that a rollout was in.
type RevisionState struct {
	Status  string
	StartAt time.Time
	// Duration is how long it took, until now for the current one; nil for a final state, which lasts.
	Duration *time.Duration
	// Current says that the rollout is in this state now.
	Current bool
}
