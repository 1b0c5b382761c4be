package store

import "time"

// Deployment is a row of deployments, with values derived from its revisions.
type Deployment struct {
	ID          string `db:"id"`
	WorkspaceID string `db:"workspace_id"`
	Name        string `db:"name"`
	Source      string `db:"source"`

	IntegrationID  *string `db:"integration_id"`
	RepoURL        *string `db:"repo_url"`
	DeploymentType *string `db:"deployment_type"`
	BuildOnPush    *bool   `db:"build_on_push"`
	CustomURL      *string `db:"custom_url"`
	ResourceSpec   *string `db:"resource_spec"` // JSON.
	ListenerID     *string `db:"listener_id"`
	K8sNamespace   *string `db:"k8s_namespace"`
	InstallCommand *string `db:"install_command"`
	BuildCommand   *string `db:"build_command"`
	SealedSecrets  []byte  `db:"sealed_secrets"` // Nil if there are none.

	DisplayName      *string `db:"display_name"`
	SecretReferences *string `db:"secret_references"` // JSON.
	Shareable        bool    `db:"shareable"`
	TemplateID       *string `db:"template_id"`
	GraphConfigPath  *string `db:"graph_config_path"` // That of the first revision, until it exists.
	DeploymentTier   *string `db:"deployment_tier"`
	ComputeTier      *string `db:"compute_tier"`
	DatabaseTier     *string `db:"database_tier"`

	RouteThroughGateway bool    `db:"route_through_gateway"`
	TrackedRepoRef      *string `db:"tracked_repo_ref"` // Nil: that of the latest revision.
	AgentID             *string `db:"agent_id"`
	AgentEnvironment    *string `db:"agent_environment"`
	TrackedPackages     *string `db:"tracked_packages"` // JSON; those of the next revision.

	Status    string     `db:"status"`
	DueAt     *time.Time `db:"due_at"` // When the status ends by itself.
	CreatedAt time.Time  `db:"created_at"`
	UpdatedAt time.Time  `db:"updated_at"`

	// Read-only: inserts and updates ignore these fields.
	Latest           Revision // Without an ID if there is none.
	ActiveRevisionID *string
	ActiveSince      *time.Time
	ImageVersion     *string // That of the active revision.
	// ActiveImageURI, ActiveRepoRef and ActiveCommitSHA are what the active revision is made of.
	ActiveImageURI, ActiveRepoRef, ActiveCommitSHA *string
}

// DeploymentFilter selects deployments; a nil field matches all.
type DeploymentFilter struct {
	Name           *string
	NameContains   *string
	Status         *string
	DeploymentType *string
	ImageVersion   *string
	IDs            []string
	// AgentID and AgentEnvironment are those of its agent.
	AgentID, AgentEnvironment *string
	// URL is that of a deployment in the service's cloud, where each has a type, once it is deployed.
	URL *string
	// Reconciled: the rollout of the latest revision is finished.
	Reconciled *bool
	// LatestStatuses are those of the latest revision.
	LatestStatuses []string
	// Order is one of DeploymentOrders; empty is the newest first.
	Order string
}

// DeploymentOrders are the orders of a list of deployments besides that of their creation: by name, by their last change, and by the
// state of their rollout: failed first, then unfinished.
var DeploymentOrders = []string{"name", "updated", "rollout"}

var deploymentOrders = map[string]string{
	"name": "d.name", "updated": "d.updated_at DESC",
	"rollout": "CASE WHEN r.status LIKE '%FAILED' THEN 0 WHEN r.finished_at IS NULL THEN 1 ELSE 2 END",
}

var (
	deployments      = tableOf[Deployment]("deployments", "workspace_id", "id")
	selectDeployment = "SELECT " + deployments.aliased("d") + ", active.id, active.deployed_at, active.image_version, active.image_uri, active.repo_ref, active.repo_commit_sha, " + latestColumns + `
FROM deployments d
LEFT JOIN revisions r ON r.seq = (SELECT max(seq) FROM revisions WHERE deployment_id = d.id)
LEFT JOIN revisions active
       ON active.seq = (SELECT max(seq) FROM revisions WHERE deployment_id = d.id AND deployed_at IS NOT NULL)
`
)

func scanDeployment(row scanner) (Deployment, error) {
	var d Deployment
	columns := append(deployments.into(&d), &d.ActiveRevisionID, nullableTimeColumn{&d.ActiveSince}, &d.ImageVersion, &d.ActiveImageURI, &d.ActiveRepoRef, &d.ActiveCommitSHA)
	err := row.Scan(append(columns, revisions.into(&d.Latest)...)...)
	return d, err
}

// Deployment reads one deployment.
func (t *Tx) Deployment(workspaceID, id string) (Deployment, error) {
	return queryOne(t, scanDeployment, selectDeployment+"WHERE d.workspace_id = ? AND d.id = ?", workspaceID, id)
}

// DeploymentNamed reads the deployment with a name.
func (t *Tx) DeploymentNamed(workspaceID, name string) (Deployment, error) {
	return queryOne(t, scanDeployment, selectDeployment+"WHERE d.workspace_id = ? AND d.name = ?", workspaceID, name)
}

// Deployments lists deployments in the filter's order.
func (t *Tx) Deployments(workspaceID string, f DeploymentFilter, p Page) ([]Deployment, error) {
	order := "d.seq DESC"
	if first, known := deploymentOrders[f.Order]; known {
		order = first + ", " + order
	}
	return query(t, scanDeployment, selectDeployment+`
		WHERE d.workspace_id = ?1
		  AND (d.name = ?2 OR ?2 IS NULL)
		  AND (`+containing("d.name", "?3")+` OR ?3 IS NULL)
		  AND (d.status = ?4 OR ?4 IS NULL)
		  AND (d.deployment_type = ?5 OR ?5 IS NULL)
		  AND (active.image_version = ?6 OR ?6 IS NULL)
		  AND (d.id IN `+elements("?7")+` OR ?7 IS NULL)
		  AND (d.custom_url = ?8 AND active.id IS NOT NULL AND d.deployment_type IS NOT NULL OR ?8 IS NULL)
		  AND ((r.finished_at IS NOT NULL) = ?9 OR ?9 IS NULL)
		  AND (r.status IN `+elements("?10")+` OR ?10 IS NULL)
		  AND (d.agent_id = ?11 OR ?11 IS NULL)
		  AND (d.agent_environment = ?12 OR ?12 IS NULL)
		ORDER BY `+order+" LIMIT ?13 OFFSET ?14",
		workspaceID, f.Name, f.NameContains, f.Status, f.DeploymentType, f.ImageVersion, jsonList(f.IDs),
		f.URL, f.Reconciled, jsonList(f.LatestStatuses), f.AgentID, f.AgentEnvironment, p.Limit, p.Offset)
}

// DeploymentsTracking lists the deployments of a workspace that build on push and track the ref.
func (t *Tx) DeploymentsTracking(workspaceID, ref string) ([]Deployment, error) {
	return query(t, scanDeployment, selectDeployment+`
		WHERE d.workspace_id = ? AND d.build_on_push AND coalesce(d.tracked_repo_ref, r.repo_ref) = ? ORDER BY d.seq`, workspaceID, ref)
}

// DeploymentsOn lists the deployments of a listener, oldest first.
func (t *Tx) DeploymentsOn(workspaceID, listenerID string) ([]Deployment, error) {
	return query(t, scanDeployment, selectDeployment+`
		WHERE d.workspace_id = ? AND d.listener_id = ? ORDER BY d.seq`, workspaceID, listenerID)
}

// DeploymentsDue lists the deployments of all workspaces whose status is due to change.
func (t *Tx) DeploymentsDue(now time.Time) ([]Deployment, error) {
	return query(t, scanDeployment, selectDeploymentsDue, micros(now))
}

// InsertDeployment adds a deployment.
func (t *Tx) InsertDeployment(d Deployment) error {
	return deployments.insert(t, d)
}

// UpdateDeployment writes the columns that can change.
func (t *Tx) UpdateDeployment(d Deployment) error {
	return deployments.update(t, d, "build_on_push", "custom_url", "resource_spec", "install_command", "build_command", "sealed_secrets", "display_name",
		"secret_references", "graph_config_path", "deployment_tier", "compute_tier", "database_tier", "route_through_gateway", "tracked_repo_ref",
		"tracked_packages", "status", "due_at", "updated_at")
}

// TouchDeployment records that a deployment changed at a time, unless it changed later.
func (t *Tx) TouchDeployment(id string, at time.Time) error {
	return t.execOne("UPDATE deployments SET updated_at = CASE WHEN updated_at < ?1 THEN ?1 ELSE updated_at END WHERE id = ?2", micros(at), id)
}

// ReserveName keeps a name from being used by a new deployment.
func (t *Tx) ReserveName(workspaceID, name string) error {
	return t.exec("INSERT INTO reserved_names (workspace_id, name) VALUES (?, ?)", workspaceID, name)
}

// NameReserved reports whether a name was reserved.
func (t *Tx) NameReserved(workspaceID, name string) (bool, error) {
	n, err := queryOne(t, scanNumber, "SELECT count(*) FROM reserved_names WHERE workspace_id = ? AND name = ?", workspaceID, name)
	return n > 0, err
}

// DeleteDeployment deletes a deployment and its revisions.
func (t *Tx) DeleteDeployment(workspaceID, id string) error {
	return t.execOne("DELETE FROM deployments WHERE workspace_id = ? AND id = ?", workspaceID, id)
}
