package pages

import (
	"strings"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/pages/web"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/rest"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver/store"
)

const (
	// logTail is the number of log lines shown with the revision, logPage the number on the page of its logs.
	logTail = 20
	logPage = 1000
)

// logLabels are the display names of the logs, in chronological order.
var logLabels = []struct {
	kind  api.LogType
	label string
}{{api.LogTypeBuild, "Build log"}, {api.LogTypeDeploy, "Deploy log"}}

// logs returns the last lines of a revision's logs that contain a text. Empty logs are omitted.
func (s *Service) logs(row store.Revision, now time.Time, search string, most int) (logs []web.Log, _ error) {
	for _, of := range logLabels {
		entries, err := s.control.Log(row, now, of.kind)
		if err != nil {
			return nil, err
		}
		log := web.Log{Label: of.label}
		for _, entry := range entries {
			if search == "" || strings.Contains(strings.ToLower(entry.Message), strings.ToLower(search)) {
				at, _ := time.Parse(time.RFC3339Nano, string(entry.Timestamp)) // Zero if its form is unknown.
				log.Lines = append(log.Lines, web.LogLine{Time: at, Level: string(entry.Level), Message: entry.Message})
			}
		}
		if len(log.Lines) == 0 {
			continue
		}
		if n := len(log.Lines) - most; n > 0 {
			log.Lines, log.Omitted = log.Lines[n:], int64(n)
		}
		logs = append(logs, log)
	}
	return logs, nil
}

func (s *Service) showLogs(c *rest.Call, frame web.Frame) (web.View, error) {
	row, revision, err := s.revision(c)
	if err != nil {
		return nil, err
	}
	view := web.LogsView{
		Frame: frame, DeploymentID: row.ID, DeploymentName: row.Name, RevisionID: revision.ID, Search: c.Request.URL.Query().Get("q"),
	}
	view.Logs, err = s.logs(revision, c.Now, view.Search, logPage)
	return view, err
}
