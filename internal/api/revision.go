package api

// RevisionStatus is the state of one rollout.
type RevisionStatus string

// The states of a revision. According to the specification, DEPLOYED means success and every failure contains FAILED;
// the service may return newer states than these.
const (
	RevisionCreating       RevisionStatus = "CREATING"
	RevisionQueued         RevisionStatus = "QUEUED"
	RevisionAwaitingBuild  RevisionStatus = "AWAITING_BUILD"
	RevisionBuilding       RevisionStatus = "BUILDING"
	RevisionAwaitingDeploy RevisionStatus = "AWAITING_DEPLOY"
	RevisionDeploying      RevisionStatus = "DEPLOYING"
	RevisionDeployed       RevisionStatus = "DEPLOYED"
	RevisionCreateFailed   RevisionStatus = "CREATE_FAILED"
	RevisionBuildFailed    RevisionStatus = "BUILD_FAILED"
	RevisionDeployFailed   RevisionStatus = "DEPLOY_FAILED"
	// RevisionSkipped means superseded by a newer revision before it was deployed.
	RevisionSkipped     RevisionStatus = "SKIPPED"
	RevisionInterrupted RevisionStatus = "INTERRUPTED"
	RevisionUnknown     RevisionStatus = "UNKNOWN"
)

// RevisionStatuses lists every RevisionStatus.
var RevisionStatuses = []RevisionStatus{
	RevisionCreating, RevisionQueued, RevisionAwaitingBuild, RevisionBuilding, RevisionAwaitingDeploy, RevisionDeploying,
	RevisionDeployed, RevisionCreateFailed, RevisionBuildFailed, RevisionDeployFailed, RevisionSkipped,
	RevisionInterrupted, RevisionUnknown,
}

// Revision is one rollout of a deployment. The specification documents ID, status and the source revision config; installations
// are known to return the rest.
type Revision struct {
	ID                   string               `json:"id" format:"uuid"`
	CreatedAt            string               `json:"created_at"`
	UpdatedAt            string               `json:"updated_at"`
	Status               RevisionStatus       `json:"status"`
	Source               Source               `json:"source"`
	SourceRevisionConfig SourceRevisionConfig `json:"source_revision_config"`
	// StatusMessage is the reason for a failure, if the service gives one.
	StatusMessage *string `json:"status_message"`
}
