package store

import "errors"

// mostExpected limits how many runs are looked up together, mostExpectedBytes how much of their bodies is kept, and mostExpectedBody that of
// one.
const mostExpected, mostExpectedBytes, mostExpectedBody = 10_000, 16 << 20, 64 << 10

// expect reads runs, and which of them others wait for. IDs hardly ever occur in several workspaces, so that they are looked up together.
func (*postgres) expect(t *Tx, expected []Expected) error {
	u := t.pending
	u.read, u.alone = map[runKey]StoredRun{}, map[runKey]bool{}
	var ids []string
	for _, e := range expected {
		for _, id := range e.RunIDs[:min(len(e.RunIDs), mostExpected-len(ids))] {
			ids = append(ids, id)
			key := runKey{e.WorkspaceID, id}
			u.read[key], u.alone[key] = StoredRun{}, true
		}
	}
	if ids == nil {
		return nil
	}
	return u.beside(func() error { return errors.Join(t.readExpected(ids), t.readParents(ids)) })
}

func (t *Tx) readExpected(ids []string) error {
	read, kept := t.pending.read, 0
	body := func(column string) string {
		return "CASE WHEN length(b.post) + length(b.patch) <= ? THEN " + column + " END"
	}
	return each(t, scanStoredRun, func(r StoredRun) error {
		key := runKey{r.WorkspaceID, r.ID}
		if _, is := read[key]; !is {
			return nil
		}
		kept += len(r.Body.Post) + len(r.Body.Patch)
		if r.Body.Post == nil || kept > mostExpectedBytes {
			delete(read, key)
			return nil
		}
		read[key] = r
		return nil
	}, "SELECT "+runColumns+", "+body("b.post")+", "+body("b.patch")+" FROM runs r LEFT JOIN run_bodies b ON b.run = r.seq "+
		"WHERE r.id = ANY(CAST(? AS TEXT[])) AND "+alive("r"), mostExpectedBody, mostExpectedBody, ids)
}

func (t *Tx) readParents(ids []string) error {
	return each(t, func(row scanner) (key runKey, err error) {
		err = row.Scan(&key.workspaceID, &key.id)
		return key, err
	}, func(parent runKey) error {
		delete(t.pending.alone, parent)
		return nil
	}, "SELECT DISTINCT r.workspace_id, r.parent_run_id FROM runs r "+
		"WHERE r.parent_run_id = ANY(CAST(? AS TEXT[])) AND r.dotted_order IS NULL", ids)
}
