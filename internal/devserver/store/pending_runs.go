package store

// pendingRuns are the runs that a transaction will store together, and what it has read of others, because each statement takes a while to
// reach PostgreSQL: without them, a batch takes five times as long. Any statement about runs comes after they are stored.
type pendingRuns struct {
	order []*savedRun
	runs  map[runKey]*savedRun
	bytes int
	// read are runs as they are stored. Those that don't exist have no ID.
	read map[runKey]StoredRun
	// alone are runs for which no stored run waits, and parents those for which one may wait since.
	alone, parents map[runKey]bool
	// resting reports whether statements about runs are executed that don't depend on those that aren't stored.
	resting bool
}

// matter reports whether a statement about runs depends on what is known of them, or changes it.
func (p *pendingRuns) matter() bool {
	return p != nil && !p.resting && len(p.order)+len(p.read)+len(p.alone) > 0
}

// find returns a run, if it is known what is stored of it.
func (p *pendingRuns) find(key runKey) (r StoredRun, known bool) {
	if p == nil {
		return r, false
	}
	if saved := p.runs[key]; saved != nil {
		return saved.StoredRun, true
	}
	r, known = p.read[key]
	return r, known
}

// childless reports whether no run waits for one.
func (p *pendingRuns) childless(key runKey) bool { return p != nil && p.alone[key] && !p.parents[key] }

// beside runs work that reads runs other than the pending ones.
func (p *pendingRuns) beside(work func() error) error {
	if p == nil {
		return work()
	}
	before := p.resting
	p.resting = true
	defer func() { p.resting = before }()
	return work()
}

// add keeps a run to be stored later, in place of what was kept of it.
func (p *pendingRuns) add(r *savedRun) {
	if p.runs == nil {
		p.runs, p.parents = map[runKey]*savedRun{}, map[runKey]bool{}
	}
	key := runKey{r.WorkspaceID, r.ID}
	if before := p.runs[key]; before != nil {
		p.bytes -= len(before.Body.Post) + len(before.Body.Patch)
		*before = *r
		r = before
	} else {
		p.order, p.runs[key] = append(p.order, r), r
	}
	p.bytes += len(r.Body.Post) + len(r.Body.Patch)
	if r.DottedOrder == nil && r.ParentRunID != nil {
		p.parents[runKey{r.WorkspaceID, *r.ParentRunID}] = true
	}
}

// take returns the runs that are to be stored now.
func (p *pendingRuns) take() []*savedRun {
	all := p.order
	p.order, p.bytes = nil, 0
	clear(p.runs)
	return all
}

// know keeps what has been stored of runs.
func (p *pendingRuns) know(stored []*savedRun) {
	for _, r := range stored {
		key := runKey{r.WorkspaceID, r.ID}
		if _, known := p.read[key]; !known {
			continue
		}
		if len(r.Body.Post)+len(r.Body.Patch) <= mostExpectedBody {
			p.read[key] = r.StoredRun
		} else {
			delete(p.read, key)
		}
	}
}

// forget forgets what is known of stored runs.
func (p *pendingRuns) forget() {
	clear(p.read)
	clear(p.alone)
}

// discard forgets everything, because the transaction has been rolled back to a savepoint.
func (p *pendingRuns) discard() {
	if p != nil {
		p.take()
		p.forget()
	}
}
