package store

// unsavedRuns are the runs that a transaction will store together, because each statement takes a while to reach the database, and what the
// transaction knows about others. Any statement about runs comes after they are stored.
type unsavedRuns struct {
	order []*savedRun
	runs  map[runKey]*savedRun
	bytes int
	// read are runs as they are stored. Those that don't exist have no ID.
	read map[runKey]StoredRun
	// alone are runs for which no stored run waits, and parents those for which one may wait since.
	alone, parents map[runKey]bool
	sought         sought
	// resting says that statements about runs are executed that don't depend on those that aren't stored.
	resting bool
}

// matter reports whether a statement about runs depends on what is known of them, or changes it.
func (u *unsavedRuns) matter() bool {
	return u != nil && !u.resting && len(u.order)+len(u.read)+len(u.alone)+len(u.sought.by) > 0
}

// find returns a run, if it is known what is stored of it.
func (u *unsavedRuns) find(key runKey) (r StoredRun, known bool) {
	if u == nil {
		return r, false
	}
	if saved := u.runs[key]; saved != nil {
		return saved.StoredRun, true
	}
	r, known = u.read[key]
	return r, known
}

// labelled returns the runs with two labels, if they are known.
func (u *unsavedRuns) labelled(workspaceID string, labels Labels) (found []Run, known bool) {
	if u == nil {
		return nil, false
	}
	return u.sought.find(workspaceID, labels)
}

// childless says that no run waits for one.
func (u *unsavedRuns) childless(key runKey) bool { return u != nil && u.alone[key] && !u.parents[key] }

// beside runs work that reads runs other than the unsaved ones.
func (u *unsavedRuns) beside(work func() error) error {
	if u == nil {
		return work()
	}
	before := u.resting
	u.resting = true
	defer func() { u.resting = before }()
	return work()
}

// add keeps a run to be stored later, in place of what was kept of it.
func (u *unsavedRuns) add(r *savedRun) {
	if u.runs == nil {
		u.runs, u.parents = map[runKey]*savedRun{}, map[runKey]bool{}
	}
	key := runKey{r.WorkspaceID, r.ID}
	if before := u.runs[key]; before != nil {
		u.bytes -= len(before.Body.Post) + len(before.Body.Patch)
		*before = *r
		r = before
	} else {
		u.order, u.runs[key] = append(u.order, r), r
	}
	u.sought.notice(r)
	u.bytes += len(r.Body.Post) + len(r.Body.Patch)
	if r.DottedOrder == nil && r.ParentRunID != nil {
		u.parents[runKey{r.WorkspaceID, *r.ParentRunID}] = true
	}
}

// take returns the runs that are to be stored now.
func (u *unsavedRuns) take() []*savedRun {
	all := u.order
	u.order, u.bytes = nil, 0
	clear(u.runs)
	return all
}

// know keeps what has been stored of runs.
func (u *unsavedRuns) know(stored []*savedRun) {
	for _, r := range stored {
		key := runKey{r.WorkspaceID, r.ID}
		if _, known := u.read[key]; !known {
			continue
		}
		if len(r.Body.Post)+len(r.Body.Patch) <= mostExpectedBody {
			u.read[key] = r.StoredRun
		} else {
			delete(u.read, key)
		}
	}
}

// forget forgets what is known of stored runs.
func (u *unsavedRuns) forget() {
	clear(u.read)
	clear(u.alone)
	u.sought = sought{}
}

// discard forgets everything, because the transaction has been rolled back to a savepoint.
func (u *unsavedRuns) discard() {
	if u != nil {
		u.take()
		u.forget()
	}
}
