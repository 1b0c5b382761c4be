package api

// RevisionStatus is the state of one rollout.
type RevisionStatus string

// The states of a revision. The specification names DEPLOYED as success and says that every failure contains FAILED;
// the service may report younger states than these.
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
	// RevisionSkipped was superseded by a newer revision before it was deployed.
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

// Revision is one rollout of a deployment. The specification shows id, status and the source revision config; the rest
// is what installations are known to answer.
type Revision struct {
	ID                   string               `json:"id"`
	CreatedAt            string               `json:"created_at"`
	UpdatedAt            string               `json:"updated_at"`
	Status               RevisionStatus       `json:"status"`
	Source               Source               `json:"source"`
	SourceRevisionConfig SourceRevisionConfig `json:"source_revision_config"`
	// StatusMessage is the reason of a failure, where the service gives one.
	StatusMessage *string `json:"status_message"`
}
