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
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccEnvironment_ephemeral uses a value that differs in every phase. With a version, it is sent once; without, every plan
// shows an update, and every apply sends its current value. With another change, that is the only reason of the revision, because Terraform
// refuses other reasons than the planned ones.
func TestAccEnvironment_ephemeral(t *testing.T) {
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
				return func(state *terraform.State) error { // Checks run before the plan that follows the step.
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
			changed := step(plane, "env_ticket", config.Variables{"image_tag": config.StringVariable("2.0.0")})
			maps.Copy(changed.ConfigVariables, version)
			changed.ExpectNonEmptyPlan = version == nil
			changed.ConfigStateChecks = []statecheck.StateCheck{
				known(knownvalue.SetExact([]knownvalue.Check{text("source_revision_config.image_uri")}), "revision_reasons", "changes"),
			}
			factories := plane.Factories()
			factories["ticket"] = providerserver.NewProtocol6WithError(tickets)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: factories, CheckDestroy: checkNoneLeft(plane), TerraformVersionChecks: writeOnly,
				Steps: []resource.TestStep{create, again, changed},
			})
		})
	}
}

// TestAccEnvironment_ignoreChanges rotates a secret while another user manages the plain variables: their values are
// sent, too, and not reverted.
func TestAccEnvironment_ignoreChanges(t *testing.T) {
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

// These values must not be found anywhere, except that those of secrets belong in the state.
const (
	writeOnlyCanary = `canary-of-a-"write-only"<é>-value/1+1`
	nextCanary      = `canary-of-the-next-"write-only"<é>-value/2+2`
	secretCanary    = `canary-of-a-"secret"<é>-in-the-state/3+3`
)

// TestAccEnvironment_secrecy searches for values in the stored state, including private state, in plans and their
// JSON, in the logs of provider and CLI at TRACE, and in requests. It isn't parallel, because logs are configured with
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
		return // The steps were skipped.
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
		t.Error("the log lacks lines of the provider or the CLI")
	}
	// The CLI logs the error that it shows, so this also searches its output.
	if err := providertest.NoneShown("the log", content, writeOnlyCanary, nextCanary, secretCanary, providertest.APIKey); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(content, []byte("is not acceptable")) {
		t.Error("the log doesn't contain the service's error")
	}
}

// stored searches the state files on disk.
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
				return fmt.Errorf("%s lacks the fingerprints or the sensitive value, so nothing was tested", file)
			}
			if err := providertest.NoneShown("the private state in "+file, private, secretCanary); err != nil {
				return err
			}
			return providertest.NoneShown(file, append(content, private...), writeOnlyCanary, nextCanary)
		})
		if err == nil && found == 0 {
			return fmt.Errorf("found no state in %s", directory)
		}
		return err
	}
}

// planned searches the plan's JSON and the saved plan.
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
		return fmt.Errorf("found no plan in %s", p.directory)
	}
	return err
}
