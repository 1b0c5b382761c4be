package store

import (
	"regexp"
	"time"
)

// Revision is a row of revisions.
type Revision struct {
	ID           string `db:"id"`
	DeploymentID string `db:"deployment_id"`
	Source       string `db:"source"`

	RepoRef         *string `db:"repo_ref"`
	GraphConfigPath *string `db:"graph_config_path"`
	ImageURI        *string `db:"image_uri"`
	RepoCommitSHA   *string `db:"repo_commit_sha"`
	ImageVersion    *string `db:"image_version"`
	// SourceTarballPath is the location of an uploaded archive.
	SourceTarballPath *string `db:"source_tarball_path"`
	TrackedPackages   *string `db:"tracked_packages"` // JSON.
	InstallCommand    *string `db:"install_command"`
	BuildCommand      *string `db:"build_command"`

	Status        string        `db:"status"`
	StatusMessage *string       `db:"status_message"`
	Rollout       time.Duration `db:"rollout"` // Whole microseconds.
	Fault         *string       `db:"fault"`   // JSON.
	CreatedAt     time.Time     `db:"created_at"`
	UpdatedAt     time.Time     `db:"updated_at"`
	DueAt         *time.Time    `db:"due_at"` // When the status changes by itself; nil if it lasts.
	SupersededAt  *time.Time    `db:"superseded_at"`
	FinishedAt    *time.Time    `db:"finished_at"`
	DeployedAt    *time.Time    `db:"deployed_at"`
}

var (
	revisions      = tableOf[Revision]("revisions", "id")
	selectRevision = "SELECT " + revisions.aliased("r") + " FROM revisions r JOIN deployments d ON d.id = r.deployment_id "
	// latestColumns are those of a revision that may not exist.
	latestColumns = regexp.MustCompile(`r\.(id|deployment_id|source|status)\b`).ReplaceAllString(
		regexp.MustCompile(`r\.(rollout|created_at|updated_at)\b`).ReplaceAllString(revisions.aliased("r"), "coalesce($0, 0)"), "coalesce($0, '')")
)

// Revision reads one revision of a deployment.
func (t *Tx) Revision(workspaceID, deploymentID, id string) (Revision, error) {
	return queryOne(t, revisions.scan, selectRevision+"WHERE d.workspace_id = ? AND d.id = ? AND r.id = ?",
		workspaceID, deploymentID, id)
}

// RevisionFilter selects revisions; a nil field matches all.
type RevisionFilter struct {
	Statuses []string
	// Reconciled: the rollout is finished.
	Reconciled *bool
	// Contains: its ID, or what is rolled out, contains a text.
	Contains *string
	// Bounds of deployed_at: DeployedFrom inclusive, DeployedTo exclusive.
	DeployedFrom, DeployedTo *time.Time
}

// Revisions lists the revisions of a deployment, newest first.
func (t *Tx) Revisions(workspaceID, deploymentID string, f RevisionFilter, p Page) ([]Revision, error) {
	return query(t, revisions.scan, selectRevision+`
		WHERE d.workspace_id = ?1 AND d.id = ?2
		  AND (r.status IN `+elements("?3")+` OR ?3 IS NULL)
		  AND ((r.finished_at IS NOT NULL) = ?4 OR ?4 IS NULL)
		  AND (`+containing(revisionNames, "?5")+` OR ?5 IS NULL)
		  AND (r.deployed_at >= ?6 OR ?6 IS NULL)
		  AND (r.deployed_at < ?7 OR ?7 IS NULL)
		ORDER BY r.seq DESC LIMIT ?8 OFFSET ?9`,
		workspaceID, deploymentID, jsonList(f.Statuses), f.Reconciled, f.Contains, nullableMicros(f.DeployedFrom), nullableMicros(f.DeployedTo),
		p.Limit, p.Offset)
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
	return query(t, revisions.scan, selectRevisionsDue, micros(now))
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
	return revisions.insert(t, r)
}

// UpdateRevision writes the columns that describe the progress of the rollout.
func (t *Tx) UpdateRevision(r Revision) error {
	return revisions.update(t, r, "status", "status_message", "updated_at", "due_at", "finished_at", "deployed_at")
}
