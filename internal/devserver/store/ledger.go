package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

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
	marked      bool // The project is being deleted.
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
	t.settled, t.occupied = append(t.settled, t.occupied...), nil
	return nil
}

// close settles before a commit, and returns the size of the file if anything was settled.
func (t *Tx) close() (pages, error) {
	if err := t.settle(); err != nil || t.settled == nil {
		return pages{}, err
	}
	return t.backend.spent(t)
}

// ledger knows what each workspace takes in a file, so that nothing needs to be read to refuse runs.
type ledger struct {
	mu      sync.Mutex
	of      map[string]map[int64]Space // By workspace and project, without projects that are being deleted.
	deleted map[int64]bool             // Projects that are being deleted.
	all     Space
	pages   pages
	empty   int64 // What a file without any rows takes, which is nobody's.
}

func scanSpent(row scanner) (o occupation, err error) {
	err = row.Scan(&o.workspaceID, &o.project, &o.space.Runs, &o.space.Rows, &o.space.Bodies, &o.space.Labels, &o.space.Attachments, &o.marked)
	return o, err
}

const selectSpent = `SELECT s.workspace_id, s.project, s.runs, s.row_bytes, s.body_bytes, s.label_bytes, s.attachments,
	s.project IN (SELECT d.project FROM deleted_projects d) FROM space s`

// load reads what is stored.
func (l *ledger) load(ctx context.Context, db *sql.DB) (err error) {
	l.of, l.deleted = map[string]map[int64]Space{}, map[int64]bool{}
	if l.pages, l.empty, err = emptyPages(ctx, db); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, selectSpent)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		o, err := scanSpent(rows)
		if err != nil {
			return err
		}
		l.add(o)
	}
	return rows.Err()
}

func (l *ledger) add(o occupation) {
	l.all = l.all.add(o.space)
	projects := l.of[o.workspaceID]
	if o.marked {
		l.deleted[o.project] = true
		delete(projects, o.project)
	}
	if l.deleted[o.project] {
		return
	}
	if projects == nil {
		projects = map[int64]Space{}
		l.of[o.workspaceID] = projects
	}
	if projects[o.project] = projects[o.project].add(o.space); projects[o.project] == (Space{}) {
		delete(projects, o.project)
	}
}

// commit notes what a transaction has changed.
func (l *ledger) commit(settled []occupation, now pages) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pages = now
	for _, o := range settled {
		l.add(o)
	}
}

// Occupied implements Store.
func (s *database) Occupied(ctx context.Context, workspaceID string) (int64, error) {
	return s.backend.occupiedNow(ctx, s, workspaceID)
}

// Occupied is the number of bytes that a workspace takes in the database, without deleted projects.
func (t *Tx) Occupied(workspaceID string) (int64, error) { return t.backend.occupied(t, workspaceID) }

// occupied is what a workspace takes. What isn't bodies or attachments are rows, labels, indexes, and room in pages: each workspace has a
// share of it.
func (l *ledger) occupied(workspaceID string) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum Space
	for _, space := range l.of[workspaceID] {
		sum = sum.add(space)
	}
	used := (l.pages.all-l.pages.free)*l.pages.size - l.empty
	return sum.Bodies + sum.Attachments + share(max(0, used-l.all.Bodies-l.all.Attachments), sum.Rows+sum.Labels, l.all.Rows+l.all.Labels)
}

// share is the part of a number of bytes that a part of a whole has.
func share(bytes, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	return int64(float64(bytes) * float64(part) / float64(whole))
}
