package store

// ArmedFault is a row of faults: a simulated failure of a server that shares its data with others.
type ArmedFault struct {
	Seq         int64
	WorkspaceID string // Empty if it concerns all.
	Fault       string // A JSON object.
}

// ArmedFaults lists the faults of all workspaces, oldest first.
func (t *Tx) ArmedFaults() ([]ArmedFault, error) {
	return query(t, func(row scanner) (f ArmedFault, err error) {
		err = row.Scan(&f.Seq, &f.WorkspaceID, &f.Fault)
		return f, err
	}, "SELECT seq, workspace_id, fault FROM faults ORDER BY seq")
}

// InsertArmedFault adds a fault.
func (t *Tx) InsertArmedFault(f ArmedFault) error {
	return t.exec("INSERT INTO faults (workspace_id, fault) VALUES (?, ?)", f.WorkspaceID, f.Fault)
}

// UpdateArmedFault writes what has changed of a fault.
func (t *Tx) UpdateArmedFault(f ArmedFault) error {
	return t.execOne("UPDATE faults SET fault = ? WHERE seq = ?", f.Fault, f.Seq)
}

// DeleteArmedFault deletes a fault.
func (t *Tx) DeleteArmedFault(seq int64) error {
	return t.execOne("DELETE FROM faults WHERE seq = ?", seq)
}
