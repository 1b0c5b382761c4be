package providertest_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// outputs are the blocks of a guide with what a command prints, from the top to the end.
type outputs struct {
	t      *testing.T
	blocks []codeBlock
}

// shown expects that a command has printed the lines of the next block, in any order. "…" stands for any text.
func (o *outputs) shown(told string) {
	o.t.Helper()
	if len(o.blocks) == 0 {
		o.t.Fatal("the guide shows no other output")
	}
	told = strings.Join(strings.Fields(told), " ")
	for line := range strings.Lines(o.blocks[0].code) {
		line = strings.Join(strings.Fields(line), " ")
		if pattern := strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*?"); !regexp.MustCompile(pattern).MatchString(told) {
			o.t.Errorf("no command prints %q:\n%s", line, told)
		}
	}
	o.blocks = o.blocks[1:]
}

// TestAccGuide_incidents lets rollouts fail, hang and be interrupted, and follows the guide to the end of each incident.
func TestAccGuide_incidents(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	c, guide := startPlatform(t), openGuide(t, "incidents.md")
	printed := &outputs{t: t}
	for _, block := range codeBlocks(readText(t, filepath.Join(root, "templates", "guides", "incidents.md"))) {
		if block.language == "text" {
			printed.blocks = append(printed.blocks, block)
		}
	}
	previous, image := built("a"), built("b")
	environment := []string{"PREVIOUS=" + previous, "IMAGE=" + image}
	plans := "terraform -chdir=prod plan -var image=" + image
	rollout := func(fault devserver.RolloutFault) { c.plane.Arm(devserver.Fault{Rollout: &fault})() }
	c.shell("terraform -chdir=prod init; terraform -chdir=dev init; terraform -chdir=prod apply -var image=" + previous)

	// A rollout fails.
	rollout(devserver.RolloutFault{State: "DEPLOYING", Message: "The container exits with status 1."})
	printed.shown(c.refused("terraform -chdir=prod apply -var image=" + image))
	printed.shown(c.shell(plans))
	c.shell(guide.shell(), environment...)
	c.serves(map[string]string{"chat": previous})

	// A first rollout fails.
	first := readText(t, filepath.Join(root, "examples", "resources", "agentplane_deployment", "resource.tf"))
	c.write("first/main.tf", strings.Replace(first, `name   = "chat"`, `name   = "first"`, 1))
	rollout(devserver.RolloutFault{State: "DEPLOYING", Message: "crash loop"})
	c.refused("cd first; terraform init; terraform apply")
	printed.shown(c.shell("cd first; terraform plan"))
	if told := c.shell("cd first\n" + guide.shell()); !strings.Contains(told, "0 to add, 1 to change, 0 to destroy") {
		t.Errorf("the plan without the taint:\n%s", told)
	}
	c.shell("cd first; terraform destroy; cd ..; rm -r first")

	// A rollout hangs, and the apply is interrupted.
	rollout(devserver.RolloutFault{State: "DEPLOYING", Stall: true})
	interrupted := c.interrupts("-chdir=prod", "apply", "-auto-approve", "-no-color", "-var=image="+image)
	printed.shown(c.shell(plans))
	if plan := c.shell(plans); strings.Contains(plan, "~ latest_revision_id") {
		t.Errorf("the plan of a rollout in progress makes a revision:\n%s", plan)
	}
	c.shell(guide.shell(), environment...)
	c.serves(map[string]string{"chat": previous})
	printed.shown(interrupted)

	// The state doesn't have a deployment that was created.
	c.shell("terraform -chdir=dev apply -var image=" + image)
	c.shell("terraform -chdir=dev state rm module.agent.agentplane_deployment.agent")
	printed.shown(c.shell("terraform -chdir=dev plan -var image=" + image))
	c.save(guide.configuration())
	if told := c.shell(guide.shell(), environment...); !strings.Contains(told, "1 imported, 0 added") {
		t.Errorf("the apply didn't only import the deployment:\n%s", told)
	}
	c.shell(guide.shell(), environment...)
	if len(printed.blocks) > 0 {
		t.Errorf("no command has printed %q", printed.blocks[0].code)
	}
}

// interrupts starts a command, sends SIGINT once the service has made the change, and returns what the command prints. It must fail.
func (c *cli) interrupts(arguments ...string) string {
	c.t.Helper()
	changed := make(chan struct{})
	arm := c.plane.Interrupt("PATCH /v2/deployments/*", func(w http.ResponseWriter, r *http.Request, pass http.Handler) {
		pass.ServeHTTP(w, r)
		close(changed)
	})
	var told bytes.Buffer
	command := c.command(arguments...)
	command.Env = append(slices.Clone(c.environment), c.plane.Environ()...)
	command.Stdout, command.Stderr = &told, &told
	arm(1)
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	select {
	case <-changed:
	case <-c.t.Context().Done():
	}
	if err := command.Process.Signal(os.Interrupt); err != nil {
		c.t.Fatal(err)
	}
	if err := command.Wait(); err == nil {
		c.t.Errorf("the interrupted command succeeded:\n%s", &told)
	}
	return told.String()
}
