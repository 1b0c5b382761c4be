package figure

import "testing"

// TestGroupsCache keeps results of each snapshot, also of the first one: that of a file that was opened and hasn't changed since.
func TestGroupsCache(t *testing.T) {
	t.Parallel()
	var g groupsCache
	mine, theirs := groupsKey{workspaceID: "w1", projectID: "p"}, groupsKey{workspaceID: "w2", projectID: "p"}
	for snapshot := range int64(2) {
		if got := g.read(snapshot, mine); got != nil {
			t.Errorf("snapshot %d before any result = %v, want none", snapshot, got)
		}
		g.keep(snapshot, mine, []GroupSummary{{Name: "large"}})
		if got := g.read(snapshot, mine); len(got) != 1 {
			t.Errorf("snapshot %d = %v, want what was kept", snapshot, got)
		}
		if got := g.read(snapshot, theirs); got != nil {
			t.Errorf("snapshot %d in another workspace = %v, want none", snapshot, got)
		}
	}
}
