package store

import "context"

// Space is what something takes, in bytes as they are stored, except for the number of runs.
type Space struct {
	Runs int64
	// Rows and Labels include their entries in indexes.
	Rows, Bodies, Labels, Attachments int64
}

func (s Space) add(o Space) Space {
	return Space{s.Runs + o.Runs, s.Rows + o.Rows, s.Bodies + o.Bodies, s.Labels + o.Labels, s.Attachments + o.Attachments}
}

func (s Space) negative() Space { return Space{-s.Runs, -s.Rows, -s.Bodies, -s.Labels, -s.Attachments} }

// occupation is a change of what a project takes. Project 0 stands for the attachments and the examples of a workspace.
type occupation struct {
	workspaceID string
	project     int64
	space       Space
}

// occupy notes that a project takes more, or less.
func (t *Tx) occupy(workspaceID string, project int64, space Space) {
	if space != (Space{}) {
		t.occupied = append(t.occupied, occupation{workspaceID: workspaceID, project: project, space: space})
	}
}

// settle stores what has been noted, once for each project.
func (t *Tx) settle() error {
	type place struct {
		workspaceID string
		project     int64
	}
	sums := map[place]Space{}
	for _, o := range t.occupied {
		at := place{o.workspaceID, o.project}
		sums[at] = sums[at].add(o.space)
	}
	for at, sum := range sums {
		if sum == (Space{}) {
			continue
		}
		if err := t.exec(`INSERT INTO space (workspace_id, project, runs, row_bytes, body_bytes, label_bytes, attachments) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (workspace_id, project) DO UPDATE SET runs = space.runs + excluded.runs, row_bytes = space.row_bytes + excluded.row_bytes,
			body_bytes = space.body_bytes + excluded.body_bytes, label_bytes = space.label_bytes + excluded.label_bytes, attachments = space.attachments + excluded.attachments`,
			at.workspaceID, at.project, sum.Runs, sum.Rows, sum.Bodies, sum.Labels, sum.Attachments); err != nil {
			return err
		}
	}
	t.occupied = nil
	return nil
}

// spaces adds up what projects take.
func (t *Tx) spaces(where string, args ...any) (Space, error) {
	return queryOne(t, func(row scanner) (s Space, err error) {
		err = row.Scan(&s.Runs, &s.Rows, &s.Bodies, &s.Labels, &s.Attachments)
		return s, err
	}, `SELECT CAST(coalesce(sum(s.runs), 0) AS BIGINT), CAST(coalesce(sum(s.row_bytes), 0) AS BIGINT), CAST(coalesce(sum(s.body_bytes), 0) AS BIGINT),
		CAST(coalesce(sum(s.label_bytes), 0) AS BIGINT), CAST(coalesce(sum(s.attachments), 0) AS BIGINT) FROM space s WHERE `+where, args...)
}

// Occupied is the number of bytes that a workspace takes in the database, without deleted projects.
func (s *Store) Occupied(ctx context.Context, workspaceID string) (bytes int64, err error) {
	err = s.ReadTraced(ctx, func(tx *Tx) error {
		bytes, err = tx.Occupied(workspaceID)
		return err
	})
	return bytes, err
}

// Occupied is the number of bytes that a workspace takes in the database, without deleted projects.
func (t *Tx) Occupied(workspaceID string) (int64, error) {
	own, err := t.spaces("s.workspace_id = ? AND s.project NOT IN (SELECT d.project FROM deleted_projects d)", workspaceID)
	if err != nil {
		return 0, err
	}
	return t.backend.occupied(t, own)
}
