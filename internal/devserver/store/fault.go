package store

// ArmedFault is a row of faults: a simulated failure of a server that shares its data with others.
type ArmedFault struct {
	Seq         int64  `db:"seq"`
	WorkspaceID string `db:"workspace_id"` // Empty if it concerns all.
	Fault       string `db:"fault"`        // A JSON object.
}

var faults = tableOf[ArmedFault]("faults", "seq")

// ArmedFaults lists the faults of all workspaces, oldest first.
func (t *Tx) ArmedFaults() ([]ArmedFault, error) {
	return faults.find(t, "ORDER BY seq")
}

// InsertArmedFault adds a fault.
func (t *Tx) InsertArmedFault(f ArmedFault) error {
	return faults.insert(t, f)
}

// UpdateArmedFault writes what has changed of a fault.
func (t *Tx) UpdateArmedFault(f ArmedFault) error {
	return faults.update(t, f, "fault")
}

// DeleteArmedFault deletes a fault.
func (t *Tx) DeleteArmedFault(seq int64) error {
	return t.execOne("DELETE FROM faults WHERE seq = ?", seq)
}
