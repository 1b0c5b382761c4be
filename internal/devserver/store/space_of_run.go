package store

// Estimates of what is stored besides the texts: the numbers of a row and of its entries in indexes, of a label, and all of the
// row of an attachment.
const runNumbers, labelNumbers, attachmentRow = 300, 24, 400

// rowBytes returns what the row of a run takes. Some columns are in indexes, too.
func (r *Run) rowBytes() int64 {
	n := runNumbers + 3*len(r.WorkspaceID) + 2*len(r.ID) + 2*len(r.TraceID) + len(r.Name) + 2*len(r.RunType) + len(r.Status) + len(r.Figures)
	for _, twice := range []*string{r.ParentRunID, r.DottedOrder, r.ThreadID} {
		n += 2 * lengthOf(twice)
	}
	for _, once := range []*string{r.Error, r.PromptCost, r.CompletionCost, r.TotalCost, r.PriceID} {
		n += lengthOf(once)
	}
	return int64(n)
}

func lengthOf(text *string) int {
	if text == nil {
		return 0
	}
	return len(*text)
}

// Sizes of SQLite's pages: the page, what fits into one of a table, what of a larger row at least, and what into one of those with
// the rest of it.
const pageSize, pageRoom, rowHead, overflowRoom = 4096, 4061, 489, 4092

// bodyBytes returns what a body takes. The beginning of a row is in a page with as many others as fit as a whole, and what
// doesn't fit is in pages of its own.
func bodyBytes(n int64) int64 {
	head := n
	if n > pageRoom {
		if head = rowHead + (n-rowHead)%overflowRoom; head > pageRoom {
			head = rowHead
		}
	}
	return pageSize/max(1, pageRoom/max(1, head)) + (n-head+overflowRoom-1)/overflowRoom*pageSize
}

// labelBytes returns what labels take. Each is in the table and in an index.
func labelBytes(labels []Label) (n int64) {
	for _, label := range labels {
		n += int64(labelNumbers + 2*(len(label.Key)+len(labelValue(label.Value))))
	}
	return n
}

// vacate notes that the space of runs is free, which are to be deleted or replaced.
func (t *Tx) vacate(seqs jsonNumbers) error {
	freed, err := query(t, scanOccupation, `SELECT r.workspace_id, r.project, count(r.row_bytes), coalesce(sum(r.row_bytes), 0), coalesce(sum(r.body_bytes), 0),
		coalesce(sum(r.label_bytes), 0) FROM runs r WHERE r.seq IN `+numbers("?")+" GROUP BY r.workspace_id, r.project", seqs)
	for _, o := range freed {
		t.occupy(o.workspaceID, o.project, o.space.negative())
	}
	return err
}

func scanOccupation(row scanner) (o occupation, err error) {
	err = row.Scan(&o.workspaceID, &o.project, &o.space.Runs, &o.space.Rows, &o.space.Bodies, &o.space.Labels)
	return o, err
}

// projectSeq returns the number of a project; 0 if it doesn't exist.
func (t *Tx) projectSeq(id string) (int64, error) {
	if seq, known := t.projects[id]; known {
		return seq, nil
	}
	seq, err := queryOne(t, scanNumber, "SELECT p.seq FROM projects p WHERE p.id = ?", id)
	if Missing(&err) || err != nil {
		return 0, err
	}
	if t.projects == nil {
		t.projects = map[string]int64{}
	}
	t.projects[id] = seq
	return seq, nil
}
