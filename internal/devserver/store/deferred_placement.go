package store

// DeferredPlacement is a note that runs still have to be placed below a run that arrived after them. It bounds a transaction: there can be any
// number of such runs, so that one places some, and the others are placed later. A kill in between loses nothing.
type DeferredPlacement struct {
	Seq         int64        `db:"seq"`
	WorkspaceID string       `db:"workspace_id"`
	RunID       string       `db:"run_id"`
	Kind        DeferredKind `db:"kind"`
	Through     int64        `db:"through"` // The number up to which runs have been placed, unless they are in a former trace.
	// TraceID and DottedOrder are the former trace, and what the dotted orders in it begin with.
	TraceID     *string `db:"trace_id"`
	DottedOrder *string `db:"dotted_order"`
}

var deferredPlacements = tableOf[DeferredPlacement]("unplaced")

// DeferredKind is how runs that still have to be placed are found.
type DeferredKind int64

// The kinds, as they are stored.
const (
	OfParent     DeferredKind = iota // They name the run as their parent.
	OfParentSpan                     // They are roots made from spans, and the run is made from their parent.
	OfFormerTrace
)

// movedAtOnce is how many runs a transaction moves to another trace.
const movedAtOnce = 100

// PlaceLater notes that runs have to be placed.
func (t *Tx) PlaceLater(u DeferredPlacement) error {
	return deferredPlacements.insert(t, u)
}

// NextDeferred returns the oldest note of a workspace, or of all workspaces if the ID is empty.
func (t *Tx) NextDeferred(workspaceID string) (DeferredPlacement, error) {
	if workspaceID == "" {
		return deferredPlacements.one(t, "ORDER BY seq LIMIT 1")
	}
	return deferredPlacements.one(t, "WHERE workspace_id = ? ORDER BY seq LIMIT 1", workspaceID)
}

// Placed notes that runs with numbers up to one have been placed, or all of them.
func (t *Tx) Placed(u DeferredPlacement, through int64, all bool) error {
	if all {
		return t.exec("DELETE FROM unplaced WHERE seq = ?", u.Seq)
	}
	return t.exec("UPDATE unplaced SET through = ? WHERE seq = ? AND through < ?", through, u.Seq, through)
}

// MoveTrace moves the runs below a root that has become part of another trace; root and moved are the same run, before
// and after. If there are many, it moves some, notes that the others have to be placed, and returns true.
func (t *Tx) MoveTrace(root, moved Run) (later bool, err error) {
	if root.DottedOrder == nil || moved.DottedOrder == nil {
		return false, nil
	}
	u := DeferredPlacement{WorkspaceID: root.WorkspaceID, RunID: root.ID, Kind: OfFormerTrace, TraceID: &root.TraceID, DottedOrder: root.DottedOrder}
	later, err = t.move(u, moved)
	if err == nil && later {
		err = t.PlaceLater(u)
	}
	return later, err
}

// MoveMore moves some of the runs that are still in a former trace to where the run above them is now.
func (t *Tx) MoveMore(u DeferredPlacement) error {
	to, err := t.Run(u.WorkspaceID, u.RunID)
	later := false
	if !Missing(&err) && err == nil && to.DottedOrder != nil && to.TraceID != *u.TraceID {
		later, err = t.move(u, to)
	}
	if err == nil && !later {
		err = t.Placed(u, 0, true)
	}
	return err
}

// move moves runs below a run, as many as the transaction has room for, and reports whether there may be more. It finds them by the prefix of
// their dotted orders: a slash is the character after a dot.
func (t *Tx) move(from DeferredPlacement, to Run) (later bool, err error) {
	before, after := placeOf(to), placeOf(to)
	before.traceID = *from.TraceID
	t.marks.change(&before, after)
	clear(t.marks.read)
	room := movedAtOnce - t.moved
	moved, err := t.changed("UPDATE runs SET trace_id = ?, dotted_order = ? || substr(dotted_order, ?) WHERE seq IN (SELECT r.seq FROM runs r"+
		using("runs_of_trace")+"WHERE r.trace_id = ? AND r.dotted_order > ? AND r.dotted_order < ? AND "+unindexed("r.workspace_id")+" = ? LIMIT ?)",
		to.TraceID, *to.DottedOrder, len(*from.DottedOrder)+1,
		*from.TraceID, *from.DottedOrder+".", *from.DottedOrder+"/", from.WorkspaceID, room)
	t.moved += moved
	return moved == room, err
}
