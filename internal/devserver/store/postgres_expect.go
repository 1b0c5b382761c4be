package store

import (
	"errors"
	"strconv"
)

// mostExpected limits how many runs, and how many pairs of labels, are looked up together, mostExpectedBytes how much of the bodies of runs is
// kept, and mostExpectedBody that of one.
const mostExpected, mostExpectedBytes, mostExpectedBody = 10_000, 16 << 20, 64 << 10

// expect reads runs, which of them others wait for, and those with labels. IDs hardly ever occur in several workspaces, so that they are looked
// up together.
func (*postgres) expect(t *Tx, expected []Expected) error {
	u := t.unsaved
	u.read, u.alone = map[runKey]StoredRun{}, map[runKey]bool{}
	var ids []string
	var labels soughtLists
	for _, e := range expected {
		for _, id := range e.RunIDs[:min(len(e.RunIDs), mostExpected-len(ids))] {
			ids = append(ids, id)
			key := runKey{e.WorkspaceID, id}
			u.read[key], u.alone[key] = StoredRun{}, true
		}
		for _, pair := range e.Labelled[:min(len(e.Labelled), mostExpected-len(labels.runs))] {
			labels.add(e.WorkspaceID, pair, u.sought.expect(e.WorkspaceID, pair))
		}
	}
	return u.beside(func() error {
		var err error
		if ids != nil {
			err = errors.Join(t.readExpected(ids), t.readParents(ids))
		}
		if labels.runs != nil {
			err = errors.Join(err, t.readLabelled(labels))
		}
		return err
	})
}

func (t *Tx) readExpected(ids []string) error {
	read, kept := t.unsaved.read, 0
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
		delete(t.unsaved.alone, parent)
		return nil
	}, "SELECT DISTINCT r.workspace_id, r.parent_run_id FROM runs r "+
		"WHERE r.parent_run_id = ANY(CAST(? AS TEXT[])) AND r.dotted_order IS NULL", ids)
}

// soughtLists are pairs of labels as lists, which are arguments of a statement.
type soughtLists struct {
	runs                                 []*soughtRuns
	workspaces                           []string
	kinds, otherKinds                    []int64
	keys, values, otherKeys, otherValues []string
}

func (l *soughtLists) add(workspaceID string, labels Labels, runs *soughtRuns) {
	first, other := labels.First.asStored(), labels.Other.asStored()
	l.runs, l.workspaces = append(l.runs, runs), append(l.workspaces, workspaceID)
	l.kinds, l.otherKinds = append(l.kinds, int64(first.Kind)), append(l.otherKinds, int64(other.Kind))
	l.keys, l.otherKeys = append(l.keys, storable(first.Key)), append(l.otherKeys, storable(other.Key))
	l.values, l.otherValues = append(l.values, storable(first.Value)), append(l.otherValues, storable(other.Value))
}

// readLabelled looks up the first label of each pair, and then the other one among those of the runs.
func (t *Tx) readLabelled(labels soughtLists) error {
	type numbered struct {
		Run
		number int
	}
	err := each(t, func(row scanner) (n numbered, err error) {
		err = row.Scan(append(n.columns(), &n.number)...)
		return n, err
	}, func(n numbered) error {
		t.unsaved.sought.add(labels.runs[n.number-1], &savedRun{StoredRun: StoredRun{Run: n.Run}})
		return nil
	}, "SELECT "+runColumns+`, e.number FROM unnest(CAST(? AS TEXT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),
			CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]))
			WITH ORDINALITY e (workspace_id, kind, key, value, other_kind, other_key, other_value, number)
		JOIN LATERAL (SELECT r.* FROM run_labels l JOIN runs r ON r.seq = l.run
			WHERE l.kind = e.kind AND l.value = e.value AND l.key = e.key AND r.workspace_id || '' = e.workspace_id AND `+alive("r")+` AND EXISTS (
				SELECT 1 FROM run_labels o WHERE o.run = l.run AND o.kind = e.other_kind AND o.key = e.other_key AND o.value = e.other_value OFFSET 0)
			LIMIT `+strconv.Itoa(mostSought+1)+`) r ON true`,
		labels.workspaces, labels.kinds, labels.keys, labels.values, labels.otherKinds, labels.otherKeys, labels.otherValues)
	for _, of := range labels.runs {
		if len(of.found) > mostSought {
			t.unsaved.sought.forget(of)
		}
	}
	return err
}
