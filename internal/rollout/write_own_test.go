package rollout

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/client"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
)

// deploymentOf is an external_container deployment of an image with a variable.
func deploymentOf(image, value string) api.Deployment {
	return api.Deployment{
		Source: api.SourceExternalContainer, Secrets: []api.Secret{{Name: "A", Value: value}},
		SourceRevisionConfig: api.SourceRevisionConfig{ImageURI: &image},
	}
}

func TestWritten_own(t *testing.T) {
	t.Parallel()
	newer, older := api.Revision{ID: "newer"}, api.Revision{ID: "older"}
	before := deploymentOf("chat:1", "1")
	never := func(api.Deployment) bool { return false }
	imageDiffers := func(d api.Deployment) bool {
		image := d.SourceRevisionConfig.ImageURI
		return image == nil || *image != "chat:2"
	}
	ours := api.Revision{ID: "older", SourceRevisionConfig: deploymentOf("chat:2", "1").SourceRevisionConfig}
	later := api.Revision{ID: "newer", SourceRevisionConfig: ours.SourceRevisionConfig}
	partly := Write{
		Differs: imageDiffers, Hides: func(_, _ api.Deployment) bool { return true },
		Sent: func() any { return image("2") },
	}
	for name, test := range map[string]struct {
		write    Write
		answer   string
		accepted bool
		since    []api.Revision
		now      api.Deployment
		want     int
	}{
		"seen":                            {Write{Differs: imageDiffers}, "", false, []api.Revision{newer, older}, deploymentOf("chat:2", "1"), 0},
		"superseded, named by the answer": {Write{Differs: imageDiffers}, "older", true, []api.Revision{newer, older}, deploymentOf("chat:3", "1"), 1},
		"superseded, lost":                {Write{Differs: imageDiffers}, "", false, []api.Revision{newer, older}, deploymentOf("chat:3", "1"), -1},
		"not shown by the named revision": {Write{Differs: imageDiffers}, "newer", true, []api.Revision{newer, older}, deploymentOf("chat:3", "1"), -1},
		"superseded, lost, shown itself":  {Write{Differs: imageDiffers}, "", false, []api.Revision{newer, ours}, deploymentOf("chat:3", "1"), 1},
		"shown by both":                   {Write{Differs: imageDiffers}, "", false, []api.Revision{later, ours}, deploymentOf("chat:2", "2"), 1},
		"shown itself in part":            {partly, "", false, []api.Revision{newer, ours}, deploymentOf("chat:3", "1"), -1},
		"seen in part, lost, of two":      {partly, "", false, []api.Revision{newer, older}, deploymentOf("chat:2", "1"), -1},
		"seen, named by the answer":       {Write{Differs: imageDiffers}, "older", true, []api.Revision{newer, older}, deploymentOf("chat:2", "1"), 1},
		"seen in part, lost":              {partly, "", false, []api.Revision{newer}, deploymentOf("chat:2", "1"), -1},
		"seen in part, accepted":          {partly, "", true, []api.Revision{newer}, deploymentOf("chat:2", "1"), 0},
		"seen in part, accepted, of two":  {partly, "", true, []api.Revision{newer, older}, deploymentOf("chat:2", "1"), -1},
		"seen in part, named":             {partly, "older", true, []api.Revision{newer, older}, deploymentOf("chat:2", "1"), 1},
		"named by the answer":             {Write{Differs: never}, "older", true, []api.Revision{newer, older}, deploymentOf("chat:1", "1"), 1},
		"named by the answer as newest":   {Write{Differs: never}, "newer", true, []api.Revision{newer, older}, deploymentOf("chat:1", "1"), 0},
		"accepted, of two":                {Write{Differs: never}, "", true, []api.Revision{newer, older}, deploymentOf("chat:1", "1"), -1},
		"accepted, the only one":          {Write{Differs: never}, "", true, []api.Revision{newer}, deploymentOf("chat:1", "1"), 0},
		"accepted, with another setting":  {Write{Differs: never}, "", true, []api.Revision{newer}, deploymentOf("chat:3", "1"), -1},
		"lost, the only one":              {Write{Differs: never}, "", false, []api.Revision{newer}, deploymentOf("chat:1", "1"), -1},
		"lost, of two":                    {Write{Differs: never}, "", false, []api.Revision{newer, older}, deploymentOf("chat:1", "1"), -1},

		"lost, without values":             {Write{}, "", false, []api.Revision{newer}, deploymentOf("chat:1", "1"), 0},
		"lost, without values, of two":     {Write{}, "", false, []api.Revision{newer, older}, deploymentOf("chat:1", "1"), -1},
		"named, others changed a setting":  {Write{Differs: never}, "newer", true, []api.Revision{newer, older}, deploymentOf("chat:3", "1"), 0},
		"named, the only, another setting": {Write{Differs: never}, "newer", true, []api.Revision{newer}, deploymentOf("chat:3", "1"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := client.New(client.Config{BaseURL: "https://plane.example"})
			if err != nil {
				t.Fatal(err)
			}
			test.write.Client = made
			w := written{Write: test.write, before: before, accepted: test.accepted}
			if test.answer != "" {
				answer := deploymentOf("chat:2", "1")
				w.answer, answer.LatestRevisionID = &answer, &test.answer
			}
			got, named := w.own(test.since, test.now)
			itself := got >= 0 && test.since[got].SourceRevisionConfig.ImageURI != nil && test.write.Hides == nil
			if got != test.want || named != (got >= 0 && (itself || test.since[got].ID == test.answer)) {
				t.Errorf("own() = %d, %t, want %d", got, named, test.want)
			}
		})
	}
}

// TestWritten_settings compares what users set, and nothing that changes by itself.
func TestWritten_settings(t *testing.T) {
	t.Parallel()
	repository := func(ref, image, sha string) api.Deployment {
		return api.Deployment{Source: api.SourceGitHost, SourceRevisionConfig: api.SourceRevisionConfig{RepoRef: &ref, ImageURI: &image, RepoCommitSHA: &sha}}
	}
	secrets := func() any { return api.DeploymentPatchRequest{Secrets: api.Some([]api.Secret{})} }
	ref := func() any {
		return api.DeploymentPatchRequest{SourceRevisionConfig: api.Some(api.SourceRevisionConfigRequest{RepoRef: api.Some("next")})}
	}
	onBranch := func(branch string) api.Deployment {
		d := repository("1", "i", "1")
		d.SourceConfig.RepoBranch = &branch
		return d
	}
	for name, test := range map[string]struct {
		dialect *api.Dialect
		sent    func() any
		source  *api.SourceRevisionConfig
		was, is api.Deployment
		same    bool
	}{
		"nothing":                      {api.Neutral, nil, nil, deploymentOf("a", "1"), deploymentOf("a", "1"), true},
		"a variable":                   {api.Neutral, nil, nil, deploymentOf("a", "1"), deploymentOf("a", "2"), false},
		"a variable that is sent":      {api.Neutral, secrets, nil, deploymentOf("a", "1"), deploymentOf("a", "2"), true},
		"an image":                     {api.Neutral, secrets, nil, deploymentOf("a", "1"), deploymentOf("b", "1"), false},
		"an image that is redeployed":  {api.Neutral, nil, new(deploymentOf("b", "").SourceRevisionConfig), deploymentOf("a", "1"), deploymentOf("b", "1"), true},
		"an image, where refs resolve": {api.LangSmith, nil, nil, deploymentOf("a", "1"), deploymentOf("b", "1"), false},
		"a ref":                        {api.Neutral, nil, nil, repository("main", "i", "1"), repository("next", "i", "1"), false},
		"a commit":                     {api.Neutral, nil, nil, repository("main", "i", "1"), repository("main", "i", "2"), true},
		"a ref that is sent":           {api.Neutral, ref, nil, repository("main", "i", "1"), repository("next", "i", "1"), true},
		"a branch, resolved":           {api.LangSmith, nil, nil, onBranch("main"), onBranch("next"), false},
		"a branch that is sent":        {api.LangSmith, ref, nil, onBranch("main"), onBranch("next"), true},
		"a ref and an image, resolved": {api.LangSmith, nil, nil, repository("1", "i", "1"), repository("2", "j", "2"), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made, err := client.New(client.Config{BaseURL: "https://plane.example", Dialect: test.dialect})
			if err != nil {
				t.Fatal(err)
			}
			w := written{Write: Write{Client: made, Sent: test.sent}}
			if same := w.settings(test.was, test.source) == w.settings(test.is, nil); same != test.same {
				t.Errorf("the settings are the same: %t, want %t", same, test.same)
			}
		})
	}
}

// TestWrite_conflictProcessed answers a write that the service has processed with 409: it isn't sent again.
func TestWrite_conflictProcessed(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]api.DeploymentPatchRequest{"seen": image("2"), "not seen": image("1")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, patch)
			c.processed = answer(http.StatusConflict, `{"detail":"In progress."}`)
			if proof, err := c.Do(t.Context(), time.Hour); err != nil || c.patches != 1 {
				t.Errorf("proof = %+v, %v after %d PATCHes; want one after one", proof, err, c.patches)
			}
		})
	}
}

// TestWrite_texts expects errors to say what was answered and what is unknown.
func TestWrite_texts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault devserver.Fault
		want  string
	}{
		"accepted": {devserver.Fault{Match: patching, Swallow: true, Times: 9}, "the change was accepted, but reading the deployment doesn't show it"},
		"refused":  {devserver.Fault{Match: patching, Status: 403, HTML: "<h1>No</h1>", Times: 9}, "If it still appears, the next plan shows it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChanging(t, image("2"))
			c.arm(test.fault)
			_, err := c.Do(t.Context(), time.Hour)
			if err == nil || !strings.Contains(err.Error()+doubtOf(err), test.want) {
				t.Errorf("error = %v, want one with %q", err, test.want)
			}
		})
	}
}

func doubtOf(err error) string {
	if answered, ok := errors.AsType[*client.Error](err); ok {
		return answered.Doubt
	}
	return ""
}
