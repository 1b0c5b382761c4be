package web

import "time"

// DeploymentsView is the list of deployments.
type DeploymentsView struct {
	Frame
	Filter DeploymentFilter
	// Deployments are those on this page of the list, in its order. If there are none, the page says how to create one or,
	// if a filter is set, how to show all.
	Deployments []DeploymentSummary
	// Columns are the headings; those with a URL sort the list.
	Columns []Column
	Paging  Paging
	// Live says that the list is kept up to date.
	Live bool
}

// DeploymentFilter contains the values of the form above the list. They are sent as the query of the list's own path, under
// the names of the API's parameters: name_contains, status, deployment_type; and rollout, which is the state of the newest
// revision. Empty means any.
type DeploymentFilter struct {
	NameContains, Status, DeploymentType, Rollout string
	// Statuses, DeploymentTypes and Rollouts are the available choices.
	Statuses, DeploymentTypes, Rollouts []string
	// Sort is the order, which the form keeps.
	Sort string
}

// Set reports whether any filter is set.
func (f DeploymentFilter) Set() bool {
	return f.NameContains != "" || f.Status != "" || f.DeploymentType != "" || f.Rollout != ""
}

// DeploymentSummary is a deployment in a list, and the heading of its own page. Empty texts are omitted.
type DeploymentSummary struct {
	ID, Name, DisplayName string
	// Source, DeploymentType and Status are the API's values, such as external_container, dev, READY.
	Source, DeploymentType, Status string
	// LatestRevisionStatus is the API's value, such as DEPLOYED; empty while there is no revision.
	LatestRevisionStatus string
	// LatestRevisionID and ActiveRevisionID are the newest revision and the one that serves; empty if there is none.
	LatestRevisionID, ActiveRevisionID string
	// ActiveVersion is the image version of the revision that serves, or else what it is made of, and ActiveSince when it was deployed.
	ActiveVersion        string
	ActiveSince          time.Time
	CreatedAt, UpdatedAt time.Time
}

// DeploymentView is one deployment.
type DeploymentView struct {
	Frame
	// Deployment is the heading of the page. Its statuses are those of Timeline, which are kept up to date.
	Deployment DeploymentSummary
	// Configuration is shown as a table, in this order, under the API's names, such as source_config.resource_spec.cpu. It
	// contains only set values, and no secrets.
	Configuration []Setting
	// EnvironmentNames are the names of environment variables, SecretReferenceNames those of secret references. There is no
	// field for values.
	EnvironmentNames, SecretReferenceNames []string
	// ProjectID is the tracing project to link to; empty shows no link.
	ProjectID string
	// Filter selects the revisions of Timeline.
	Filter   RevisionFilter
	Timeline TimelineView
	// HCL is the configuration that manages the deployment with Terraform: an import block and a resource.
	HCL string
	// Live says that the timeline is kept up to date.
	Live bool
}

// TimelineView is the live part of a deployment's page.
type TimelineView struct {
	Frame
	// DeploymentStatus is the API's value.
	DeploymentStatus string
	// Revisions are newest first.
	Revisions []RevisionRow
	Paging    Paging
	// Filtered says that a filter selects the revisions.
	Filtered bool
	// DeploymentID is the deployment for the links to the revisions' logs.
	DeploymentID string
	// ProjectID is the project for the links to the revisions' traces; empty shows no links.
	ProjectID string
}

// RevisionFilter contains the values of the form above the revisions: one of Statuses, and a part of the ID or of what is rolled out.
type RevisionFilter struct {
	Status, Contains string
	Statuses         []string
}

// Set reports whether any filter is set.
func (f RevisionFilter) Set() bool { return f.Status != "" || f.Contains != "" }

// Revision is a rollout.
type Revision struct {
	ID string
	// Status is the API's value.
	Status string
	// Reference is what is rolled out: an image, or a ref and its commit.
	Reference string
	// Active says that the revision is serving.
	Active    bool
	CreatedAt time.Time
	// Elapsed is from creation to the end, or until now; nil if it is unknown.
	Elapsed *time.Duration
	// Cause is what explains a failure: a part of Logs.
	Cause Cause
	// States are the states of the rollout so far, in order; the last one may be the current or the final one. If there are
	// none, nothing is shown.
	States []RevisionState
	// Changes are the settings that differ from the previous revision.
	Changes []ComparedSetting
	// Logs are the last lines of each log.
	Logs []Log
}

// RevisionRow is a revision in a list. Served are the figures of the project from when it was deployed until the next one was; nil if it
// never was.
type RevisionRow struct {
	Revision
	Served *Figures
}

// Log is a log of the builder or the runtime, oldest line first.
type Log struct {
	// Label is as in "Build log".
	Label string
	Lines []LogLine
	// Omitted is the number of earlier lines.
	Omitted int64
}

// LogLine is a line of a log, with a level such as ERROR.
type LogLine struct {
	Time           time.Time
	Level, Message string
}

// LogsView is the logs of a revision.
type LogsView struct {
	Frame
	DeploymentID, DeploymentName, RevisionID string
	// Search is a text that the shown lines contain.
	Search string
	Logs   []Log
}

// RevisionState is a past or current state of a rollout.
type RevisionState struct {
	Status  string
	StartAt time.Time
	// Duration is how long it lasted, until now for the current one; nil for a final state, which lasts.
	Duration *time.Duration
	// Current says that it is the current state.
	Current bool
}
