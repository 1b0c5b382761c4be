package store

import "time"

// Revision is a row of revisions.
type Revision struct {
	ID           string
	DeploymentID string
	Source       string

	RepoRef         *string
	GraphConfigPath *string
	ImageURI        *string
	RepoCommitSHA   *string
	ImageVersion    *string
	// SourceTarballPath is the location of an uploaded archive.
	SourceTarballPath *string
	TrackedPackages   *string // JSON.
	InstallCommand    *string
	BuildCommand      *string

	Status        string
	StatusMessage *string
	Rollout       time.Duration // Whole microseconds.
	Fault         *string       // JSON.
	CreatedAt     time.Time
	UpdatedAt     time.Time
	DueAt         *time.Time // When the status changes by itself; nil if it lasts.
	SupersededAt  *time.Time
	FinishedAt    *time.Time
	DeployedAt    *time.Time
}

const revisionColumns = `r.id, r.deployment_id, r.source,
       r.repo_ref, r.graph_config_path, r.image_uri, r.repo_commit_sha, r.image_version, r.source_tarball_path, r.tracked_packages,
       r.install_command, r.build_command, r.status, r.status_message, r.rollout, r.fault,
       r.created_at, r.updated_at, r.due_at, r.superseded_at, r.finished_at, r.deployed_at`

// latestColumns are revisionColumns for a revision that may not exist.
const latestColumns = `coalesce(r.id, ''), coalesce(r.deployment_id, ''), coalesce(r.source, ''),
       r.repo_ref, r.graph_config_path, r.image_uri, r.repo_commit_sha, r.image_version, r.source_tarball_path, r.tracked_packages,
       r.install_command, r.build_command, coalesce(r.status, ''), r.status_message, coalesce(r.rollout, 0), r.fault,
       coalesce(r.created_at, 0), coalesce(r.updated_at, 0), r.due_at, r.superseded_at, r.finished_at, r.deployed_at`

// columns returns the destinations of revisionColumns.
func (r *Revision) columns() []any {
	return []any{
		&r.ID, &r.DeploymentID, &r.Source,
		&r.RepoRef, &r.GraphConfigPath, &r.ImageURI, &r.RepoCommitSHA, &r.ImageVersion, &r.SourceTarballPath, &r.TrackedPackages,
		&r.InstallCommand, &r.BuildCommand,
		&r.Status, &r.StatusMessage, durationColumn{&r.Rollout}, &r.Fault,
		timeColumn{&r.CreatedAt}, timeColumn{&r.UpdatedAt}, nullableTimeColumn{&r.DueAt}, nullableTimeColumn{&r.SupersededAt},
		nullableTimeColumn{&r.FinishedAt}, nullableTimeColumn{&r.DeployedAt},
	}
}

func scanRevision(row scanner) (Revision, error) {
	var r Revision
	err := row.Scan(r.columns()...)
	return r, err
}

const selectRevision = "SELECT " + revisionColumns + `
FROM revisions r
JOIN deployments d ON d.id = r.deployment_id
`

// Revision reads one revision of a deployment.
func (t *Tx) Revision(workspaceID, deploymentID, id string) (Revision, error) {
	return queryOne(t, scanRevision, selectRevision+"WHERE d.workspace_id = ? AND d.id = ? AND r.id = ?",
		workspaceID, deploymentID, id)
}

// RevisionFilter selects revisions; a nil field matches all.
type RevisionFilter struct {
	Statuses []string
	// Reconciled: the rollout is finished.
	Reconciled *bool
	// Deployed: it has been deployed, and Contains: its ID, or what is rolled out, contains a text.
	Deployed *bool
	Contains *string
}

// Revisions lists the revisions of a deployment, newest first.
func (t *Tx) Revisions(workspaceID, deploymentID string, f RevisionFilter, p Page) ([]Revision, error) {
	return query(t, scanRevision, selectRevision+`
		WHERE d.workspace_id = ?1 AND d.id = ?2
		  AND (r.status IN `+elements("?3")+` OR ?3 IS NULL)
		  AND ((r.finished_at IS NOT NULL) = ?4 OR ?4 IS NULL)
		  AND ((r.deployed_at IS NOT NULL) = ?5 OR ?5 IS NULL)
		  AND (`+containing(revisionNames, "?6")+` OR ?6 IS NULL)
		ORDER BY r.seq DESC LIMIT ?7 OFFSET ?8`,
		workspaceID, deploymentID, nullableList(f.Statuses), f.Reconciled, f.Deployed, f.Contains, p.Limit, p.Offset)
}

// revisionNames are the texts by which a person finds a revision.
const revisionNames = `r.id || ' ' || coalesce(r.image_uri, '') || ' ' || coalesce(r.repo_ref, '') || ' ' || coalesce(r.repo_commit_sha, '')`

// RevisionsByStatus are the numbers of the revisions of all workspaces by status.
func (t *Tx) RevisionsByStatus() (map[string]int64, error) {
	all, n := map[string]int64{}, int64(0)
	err := each(t, func(row scanner) (status string, err error) {
		err = row.Scan(&status, &n)
		return status, err
	}, func(status string) error {
		all[status] = n
		return nil
	}, "SELECT status, count(*) FROM revisions GROUP BY status")
	return all, err
}

// RevisionsDue lists the revisions of all workspaces whose status is due to change, oldest first.
func (t *Tx) RevisionsDue(now time.Time) ([]Revision, error) {
	return query(t, scanRevision, selectRevisionsDue, micros(now))
}

// In the order of the table, SQLite would read all of it.
var (
	selectRevisionsDue   = selectRevision + "WHERE r.due_at <= ? ORDER BY " + unindexed("r.seq")
	selectDeploymentsDue = selectDeployment + "WHERE d.due_at <= ? ORDER BY " + unindexed("d.seq")
)

// LatestProgress is when the newest status began that doesn't last, of a revision or a deployment; long ago if there is none.
func (t *Tx) LatestProgress() (time.Time, error) {
	at, err := queryOne(t, scanNumber, "SELECT coalesce(max(p.since), 0) FROM (SELECT r.updated_at AS since FROM revisions r WHERE r.finished_at IS NULL "+
		"UNION ALL SELECT d.updated_at FROM deployments d WHERE d.due_at IS NOT NULL) p")
	return time.UnixMicro(at).UTC(), err
}

// MakeRevisionsDue makes all revisions due whose status is not final.
func (t *Tx) MakeRevisionsDue() error {
	return t.exec("UPDATE revisions SET due_at = created_at WHERE finished_at IS NULL")
}

// InsertRevision adds a revision as the newest one and marks the unfinished older ones as superseded, which makes them due.
func (t *Tx) InsertRevision(r Revision) error {
	err := t.exec(`
		UPDATE revisions SET superseded_at = ?1, due_at = ?1
		WHERE deployment_id = ?2 AND finished_at IS NULL AND superseded_at IS NULL`,
		micros(r.CreatedAt), r.DeploymentID)
	if err != nil {
		return err
	}
	return t.exec(`
		INSERT INTO revisions (id, deployment_id, source,
			repo_ref, graph_config_path, image_uri, repo_commit_sha, image_version, source_tarball_path, tracked_packages,
			install_command, build_command, status, status_message, rollout, fault, created_at, updated_at, due_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.DeploymentID, r.Source,
		r.RepoRef, r.GraphConfigPath, r.ImageURI, r.RepoCommitSHA, r.ImageVersion, r.SourceTarballPath, r.TrackedPackages,
		r.InstallCommand, r.BuildCommand, r.Status, r.StatusMessage, r.Rollout.Microseconds(), r.Fault, micros(r.CreatedAt), micros(r.UpdatedAt),
		nullableMicros(r.DueAt))
}

// UpdateRevision writes the columns that describe the progress of the rollout.
func (t *Tx) UpdateRevision(r Revision) error {
	return t.execOne(`
		UPDATE revisions SET status = ?, status_message = ?, updated_at = ?, due_at = ?, finished_at = ?, deployed_at = ?
		WHERE id = ?`,
		r.Status, r.StatusMessage, micros(r.UpdatedAt), nullableMicros(r.DueAt), nullableMicros(r.FinishedAt), nullableMicros(r.DeployedAt), r.ID)
}
