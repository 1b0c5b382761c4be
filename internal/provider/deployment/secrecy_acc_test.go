package deployment_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccEnvironment_ephemeral takes a value that is another one in every phase. A version pins it; without, every plan
// shows an update, and every apply sends what it finds itself.
func TestAccEnvironment_ephemeral(t *testing.T) {
	providertest.InOneDialect(t)
	t.Parallel()
	for name, version := range map[string]config.Variables{
		"version": {"secrets_wo_version": config.IntegerVariable(1)}, "no version": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plane := providertest.NewDev(t)
			s := spyOn(t, plane, nil)
			tickets := &ticketProvider{}
			latest := func(method string) resource.TestCheckFunc {
				return func(state *terraform.State) error { // Checks run before the plan after the step.
					return s.expectSecrets(method, map[string]string{"TICKET": fmt.Sprintf("ticket-%d", tickets.opened.Load())})(state)
				}
			}
			create, again := step(plane, "env_ticket", version), step(plane, "env_ticket", version)
			create.Check = latest("POST")
			again.Check = all(s.expectWrites(1, 0), expectRevisions(plane, 1))
			again.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
			}
			if version == nil {
				create.ExpectNonEmptyPlan, again.ExpectNonEmptyPlan = true, true
				again.Check = all(s.expectWrites(1, 1), expectRevisions(plane, 2), latest("PATCH"))
				again.ConfigPlanChecks.PreApply = updates(true)
			}
			factories := plane.Factories()
			factories["ticket"] = providerserver.NewProtocol6WithError(tickets)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: writeOnly,
				Steps: []resource.TestStep{create, again},
			})
		})
	}
}

// TestAccEnvironment_ignoreChanges rotates a secret while another user looks after the plain variables: what they set
// goes along, and is not put back.
func TestAccEnvironment_ignoreChanges(t *testing.T) {
	providertest.InOneDialect(t)
	t.Parallel()
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	at := func(secret string) resource.TestStep {
		return step(plane, "env_ignored", config.Variables{"environment": variables("A", "a"), "secrets_wo": variables("W", secret)})
	}
	rotated := at("w2")
	rotated.PreConfig = patchedByOther(plane, map[string]any{"secrets": []map[string]string{
		{"name": "A", "value": "drifted"}, {"name": "W", "value": "w1"},
	}})
	rotated.ConfigPlanChecks.PreApply = updates(true)
	rotated.Check = all(s.expectWrites(1, 1), s.expectSecrets("PATCH", map[string]string{"A": "drifted", "W": "w2"}))
	runCLI(t, plane, at("w1"), rotated)
}

// The values that must not be found anywhere. Of those in secrets, the state is where they belong.
const (
	writeOnlyCanary = `canary-of-a-"write-only"<é>-value/1+1`
	nextCanary      = `canary-of-the-next-"write-only"<é>-value/2+2`
	secretCanary    = `canary-of-a-"secret"<é>-in-the-state/3+3`
)

// TestAccEnvironment_secrecy looks for values in the state as it is stored, private part included, in plans and their
// JSON, in the logs of provider and CLI at TRACE, and in requests. It can't run beside others: logs are configured by
// environment variables.
func TestAccEnvironment_secrecy(t *testing.T) {
	directory := t.TempDir()
	logs := filepath.Join(t.TempDir(), "trace.log")
	t.Setenv("TF_ACC_TEMP_DIR", directory)
	t.Setenv("TF_ACC_LOG_PATH", logs)
	t.Setenv("TF_LOG", "TRACE")
	plane := providertest.NewDev(t)
	s := spyOn(t, plane, nil)
	at := func(secret string, more config.Variables) resource.TestStep {
		wanted := config.Variables{"secrets": variables("S", secretCanary), "secrets_wo": variables("W", secret)}
		maps.Copy(wanted, more)
		return envStep(plane, wanted, stored(directory), planned{directory})
	}
	refused := at(nextCanary, nil)
	refused.PreConfig = plane.Arm(faultEchoing(nextCanary))
	refused.Check = nil
	refused.ExpectError = words(`Cannot update deployment "tf-acc-env" .*\*\*\*`)
	url := config.Variables{"custom_url": config.StringVariable("https://chat.example.com")}
	runCLI(t, plane, at(writeOnlyCanary, nil), refused, at(nextCanary, nil), at(nextCanary, url))
	if os.Getenv("TF_ACC") == "" {
		return // Nothing has run.
	}
	for canary, want := range map[string]string{writeOnlyCanary: "POST", nextCanary: "PATCH PATCH", secretCanary: "POST PATCH PATCH"} {
		var got []byte
		for i, r := range s.carrying(string(providertest.SecretForms(canary)["JSON"])) {
			if i > 0 {
				got = append(got, ' ')
			}
			got = append(got, r.method...)
		}
		if string(got) != want {
			t.Errorf("%s was sent in %s, want %s", canary, got, want)
		}
	}
	content, err := os.ReadFile(logs)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(content, []byte("control plane request")) || !bytes.Contains(content, []byte("CLI args")) {
		t.Error("the logs are not those of provider and CLI")
	}
	// The CLI logs what it shows of the refusal, so that this is a search of its output as well.
	if err := providertest.NoneShown("the log", content, writeOnlyCanary, nextCanary, secretCanary, providertest.APIKey); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(content, []byte("is not acceptable")) {
		t.Error("the refusal is not in the log")
	}
}

// stored looks into the state files as they are on the disk.
func stored(directory string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		found := 0
		err := filepath.WalkDir(directory, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Name() != "terraform.tfstate" {
				return err
			}
			found++
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			private, err := providertest.PrivateState(content)
			if err != nil {
				return err
			}
			if !bytes.Contains(private, []byte("macs")) || !bytes.Contains(content, providertest.SecretForms(secretCanary)["JSON"]) {
				return fmt.Errorf("%s doesn't hold what it should", file)
			}
			if err := providertest.NoneShown("the private state in "+file, private, secretCanary); err != nil {
				return err
			}
			return providertest.NoneShown(file, append(content, private...), writeOnlyCanary, nextCanary)
		})
		if err == nil && found == 0 {
			return fmt.Errorf("no state is in %s", directory)
		}
		return err
	}
}

// planned looks into the plan's JSON and into the saved plan.
type planned struct{ directory string }

func (p planned) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	content, err := json.Marshal(req.Plan)
	if err == nil {
		err = providertest.NoneShown("the plan's JSON", content, writeOnlyCanary, nextCanary)
	}
	if err == nil {
		err = p.saved()
	}
	resp.Error = err
}

func (p planned) saved() error {
	found := 0
	err := filepath.WalkDir(p.directory, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "tfplan" {
			return err
		}
		found++
		archive, err := zip.OpenReader(file)
		if err != nil {
			return err
		}
		defer func() { _ = archive.Close() }()
		for _, part := range archive.File {
			reader, err := part.Open()
			if err != nil {
				return err
			}
			content, err := io.ReadAll(reader)
			if err != nil {
				return err
			}
			if err := providertest.NoneShown(part.Name, content, writeOnlyCanary, nextCanary); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && found == 0 {
		return fmt.Errorf("no plan is in %s", p.directory)
	}
	return err
}
