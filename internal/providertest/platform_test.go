package providertest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentplane/terraform-provider-agentplane/internal/api"
	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// built is an image by its digest, which consists of one letter.
func built(letter string) string {
	return "registry.example.com/agents/chat@sha256:" + strings.Repeat(letter, 64)
}

// forgotten is how long the example keeps previews, and some more.
const forgotten = 73 * time.Hour

// startPlatform copies the example of a platform, for a service whose clock is slow by the time for which a preview is forgotten.
func startPlatform(t *testing.T, configure ...func(*devserver.Config)) *cli {
	t.Helper()
	plane := providertest.NewDev(t, append(configure, quick)...)
	plane.Clock.Advance(time.Since(plane.Clock.Now()) - forgotten)
	c := startCLI(t, plane)
	c.needs(11, 11) // Write-only arguments.
	c.offer("0.1.0")
	for _, name := range []string{"platform", "policy"} {
		if err := os.CopyFS(filepath.Join(c.directory, name), os.DirFS(filepath.Join(root, "examples", name))); err != nil {
			t.Fatal(err)
		}
	}
	c.directory = filepath.Join(c.directory, "platform")
	c.environment = append(c.environment, "TF_VAR_dialect="+plane.Dialect().Name, `TF_VAR_secrets={MODEL_API_KEY="canary-of-the-model"}`)
	return c
}

// excerpt expects that a block, which names a file in its first line, is a part of that file.
func (c *cli) excerpt(directory, block string) {
	c.t.Helper()
	name, code, _ := strings.Cut(block, "\n")
	file := filepath.Join(root, "examples", directory, strings.TrimPrefix(name, "# "))
	if !strings.Contains(readText(c.t, file), code) {
		c.t.Errorf("%s doesn't contain\n%s", file, code)
	}
}

// serves expects these deployments, with their images or the refs of their repositories.
func (c *cli) serves(want map[string]string) {
	c.t.Helper()
	var list struct {
		Resources []struct {
			Name string `json:"name"`
			Made struct {
				ImageURI string `json:"image_uri"`
				RepoRef  string `json:"repo_ref"`
			} `json:"source_revision_config"`
		} `json:"resources"`
	}
	c.plane.Call("GET", "/v2/deployments", nil, &list)
	got := map[string]string{}
	for _, deployment := range list.Resources {
		got[deployment.Name] = deployment.Made.ImageURI + deployment.Made.RepoRef
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Fatalf("deployments (-want +got):\n%s", diff)
	}
}

// logs logs runs of a priced model into the tracing project of a deployment.
func (c *cli) logs(count int, deployment string) {
	c.t.Helper()
	for range count {
		start := time.Now().UTC()
		c.plane.Call("POST", "/api/v1/runs", map[string]any{
			"session_name": deployment, "name": "answer", "run_type": "llm", "inputs": map[string]any{},
			"start_time": start.Format(time.RFC3339Nano), "end_time": start.Add(time.Second).Format(time.RFC3339Nano),
			"extra":   map[string]any{"metadata": map[string]any{"ls_model_name": "example-large"}},
			"outputs": map[string]any{"usage_metadata": map[string]any{"input_tokens": 12, "output_tokens": 3}},
		}, nil)
	}
}

// findOPA returns a line that adds OPA to the programs that commands find. It is built once, from the module that .ci/opa.mod pins.
func findOPA(t *testing.T) string {
	t.Helper()
	find := exec.CommandContext(t.Context(), "go", "tool", "-modfile=.ci/opa.mod", "-n", "opa")
	find.Dir = root
	program, err := find.Output()
	if err != nil {
		t.Fatal(err)
	}
	return "PATH=$PATH:" + filepath.Dir(strings.TrimSpace(string(program))) + "\n"
}

// TestAccPlatform follows the guides of the platform, with the files of its example: dev, preview, prod, canary, rollback and
// destruction. With AGENTPLANE_TEST_CLI, each dialect runs all of it. Otherwise, policy, gate and repositories are tried in the first
// dialect only, and the sweep job only in the other one, in which a tracing project that is left keeps its name reserved.
func TestAccPlatform(t *testing.T) {
	t.Parallel()
	c := startPlatform(t)
	c.attach()
	everything := os.Getenv("AGENTPLANE_TEST_CLI") != ""
	inFirst := c.plane.Dialect() == api.Neutral || everything
	previews, promotion := openGuide(t, "previews.md"), openGuide(t, "promotion.md")
	first, second := built("a"), built("b")
	images := []string{"image=" + first, "candidate=" + second}

	deploys := promotion.shell()
	c.excerpt("platform", promotion.configuration())
	promotes := promotion.shell()
	if inFirst {
		c.plane.Arm(devserver.Fault{Rollout: &devserver.RolloutFault{State: "DEPLOYING", Message: "crash loop"}})()
		c.refused(deploys, "IMAGE="+first)
		if told := c.refused(promotes); !strings.Contains(told, "Dev serves nothing yet") {
			t.Errorf("what dev doesn't serve is promoted:\n%s", told)
		}
	}
	c.shell(deploys, "IMAGE="+first)
	c.followPreviews(previews, !inFirst || everything)
	c.shell(promotes)
	c.serves(map[string]string{"chat-dev": first, "chat": first})

	c.shell(`terraform -chdir=dev apply -var image=` + second)
	c.shell(promotion.shell())
	c.serves(map[string]string{"chat-dev": second, "chat": first, "chat-candidate": second})
	toSwitch := promotion.shell()
	if inFirst {
		c.logs(19, "chat-candidate")
		if told := c.refused(toSwitch, images...); !strings.Contains(told, "may not get all traffic") {
			t.Errorf("the gate is open without enough traces:\n%s", told)
		}
		c.logs(1, "chat-candidate")
		if told := c.shell(toSwitch, images...); !strings.Contains(told, `"chat-candidate" = 100`) {
			t.Errorf("the gate is closed:\n%s", told)
		}
		c.excerpt("platform", promotion.configuration())
		c.shell(promotion.shell(), images...)
		c.serves(map[string]string{"chat-dev": second, "chat": second})
	} else {
		promotion.leave(2, "TestAccPlatform")
	}

	if told := c.shell(promotion.shell(), images...); !strings.Contains(told, first) {
		t.Errorf("the revisions are not listed:\n%s", told)
	}
	c.serves(map[string]string{"chat-dev": second, "chat": first})
	if inFirst {
		c.followPolicy(openGuide(t, "policy.md"))
		c.serves(map[string]string{"chat-dev": second, "chat": second})
		c.followTags(promotion.shell())
	} else {
		promotion.leave(1, "TestAccPlatform")
	}
	promotion.leave(1, "TestAccPlatform_next")

	if told := c.refused("terraform -chdir=prod destroy -var image=" + first); !strings.Contains(told, "deletion_protection") {
		t.Errorf("the protection is not mentioned:\n%s", told)
	}
	c.keeps("canary-of-the-model")
	c.shell(promotion.shell(), images...)
	c.shell("terraform -chdir=dev destroy -var image=" + second)
	if err := checkNoneLeft(c.plane)(nil); err != nil {
		t.Error(err)
	}
}

// keeps expects that no file of the example contains a secret.
func (c *cli) keeps(secret string) {
	c.t.Helper()
	if told := c.shell("grep -rl " + secret + " . || true"); told != "" {
		c.t.Errorf("the secret is in\n%s", told)
	}
}

// followPreviews creates a preview and destroys it. With sweep, another one is forgotten before.
func (c *cli) followPreviews(guide *page, sweep bool) {
	c.t.Helper()
	image := built("d")
	c.excerpt("platform", guide.configuration())
	opens := guide.shell()
	if sweep {
		c.shell(strings.ReplaceAll(opens, "12", "7"), "IMAGE="+image)
		c.plane.Clock.Advance(forgotten)
	}
	c.shell(opens, "IMAGE="+image)
	closes := guide.shell()
	c.excerpt("platform", guide.configuration())
	c.excerpt("platform", guide.configuration())
	sweeps := guide.shell()
	if sweep {
		c.serves(map[string]string{"chat-dev": built("a"), "chat-pr-7": image, "chat-pr-12": image})
		c.shell(sweeps)
	}
	c.serves(map[string]string{"chat-dev": built("a"), "chat-pr-12": image})
	c.shell(closes)
	c.serves(map[string]string{"chat-dev": built("a")})
	var projects []struct {
		Name string `json:"name"`
	}
	c.plane.Call("GET", "/api/v1/sessions?name_contains=-pr-", nil, &projects)
	if c.plane.Dialect().ProjectsBlockNames && len(projects) > 0 {
		c.t.Errorf("tracing projects are left: %v", projects)
	}
}

// followPolicy expects that the policy passes a promotion, and denies much else.
func (c *cli) followPolicy(guide *page) {
	c.t.Helper()
	opa, checked := findOPA(c.t), guide.shell()
	denied := func(commands string, wants []string, environment ...string) {
		c.t.Helper()
		told := c.refused(opa+commands, environment...)
		for _, want := range wants {
			if !strings.Contains(told, want) {
				c.t.Errorf("the policy doesn't say %s:\n%s", want, told)
			}
		}
	}
	denied(checked, []string{
		"not from an approved registry", "cpu is 8, more than 4", "needs deletion_protection", `because of secrets_wo[\"KEY\"]`,
	}, "TF_VAR_image=registry.example.com/other/chat@sha256:"+strings.Repeat("e", 64),
		"TF_VAR_deletion_protection=false", "TF_VAR_resources={cpu=8}", `TF_VAR_secrets={KEY="another-canary"}`)
	const stricter = "cp -R ../policy ../stricter\nsed 's/\"chat\"/\"chat-dev\"/' ../policy/data.json >../stricter/data.json\n"
	denied(stricter+strings.NewReplacer("prod", "dev", "/policy", "/stricter").Replace(checked),
		[]string{"chat-dev is protected, and would be destroyed"}, "TF_VAR_image="+built("b"), "TF_CLI_ARGS_plan=-destroy")
	c.shell(opa + checked)
	c.excerpt("policy", guide.next(func(b codeBlock) bool { return b.language == "rego" }))
	c.shell(opa + guide.shell() + "opa check --strict ../policy && opa fmt --fail --list ../policy")
}

// followTags deploys a release of a repository, and rolls back to an earlier tag.
func (c *cli) followTags(rollBack string) {
	c.t.Helper()
	notes := []string{
		"TF_WORKSPACE=notes", "TF_VAR_name=notes", "TF_VAR_deletion_protection=false",
		`TF_VAR_repository={integration="example-org",url="https://git.example.com/example-org/chat",graph_config_path="graph.json"}`,
	}
	c.shell("terraform -chdir=prod apply -var release=v1.1.0", notes...)
	if told := c.shell(rollBack, notes...); !strings.Contains(told, "0 added, 1 changed, 0 destroyed") {
		c.t.Errorf("another tag is not just an update:\n%s", told)
	}
	c.shell("terraform -chdir=prod destroy -var release=v1.0.0", notes...)
}

// TestAccPlatform_tests runs the tests of the example, which tell revisions apart by their times.
func TestAccPlatform_tests(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	c := startPlatform(t)
	c.attach(startTimed(t, devserver.Config{Dialect: c.plane.Dialect()})...)
	readme := openPage(t, filepath.Join("examples", "platform", "modules", "agent", "README.md"))
	c.write("main.tf", readme.configuration())
	if told := c.shell("terraform init; terraform plan", "TF_VAR_model_api_key=canary-of-the-model"); !strings.Contains(told, `name                   = "chat"`) {
		t.Errorf("the plan of the module's README:\n%s", told)
	}
	for directory, passed := range map[string]string{"modules/agent": "14 passed, 0 failed", "preview": "1 passed", "prod": "5 passed"} {
		if told := c.shell("cd " + directory + "; terraform init; terraform test"); !strings.Contains(told, passed) {
			t.Errorf("%s:\n%s", directory, told)
		}
	}
}

// TestAccPlatform_next rolls back in an emergency, where the CLI knows actions.
func TestAccPlatform_next(t *testing.T) {
	t.Parallel()
	providertest.InOneDialect(t)
	c := startPlatform(t)
	c.needsTerraform(14)
	promotion := openGuide(t, "promotion.md")
	emergency := slices.IndexFunc(promotion.blocks, func(b codeBlock) bool { return strings.Contains(b.code, "-invoke") })
	promotion.leave(emergency, "TestAccPlatform")
	c.shell("terraform -chdir=prod init")
	for _, image := range []string{built("a"), built("b")} {
		c.shell("terraform -chdir=prod apply -var image=" + image)
	}
	c.shell(promotion.shell())
	c.serves(map[string]string{"chat": built("a")})
	promotion.leave(1, "TestAccPlatform")
}
