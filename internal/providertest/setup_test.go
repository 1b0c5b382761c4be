package providertest_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// setupAction is the directory of the action that installs the provider and the dev server in a job, and of its script.
var setupAction = filepath.Join(root, ".github", "actions", "setup")

// setupPlatform is how releases name this machine.
const setupPlatform = runtime.GOOS + "_" + runtime.GOARCH

// program is a file system with an executable file.
func program(name string, content []byte) fs.FS {
	return fstest.MapFS{name: {Data: content, Mode: 0o755}}
}

// zipped returns an archive with the files.
func zipped(t *testing.T, files fs.FS) string {
	t.Helper()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.NoCompression) })
	if err := errors.Join(w.AddFS(files), w.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}

// tarred returns an archive with the files.
func tarred(t *testing.T, files fs.FS) string {
	t.Helper()
	var archive bytes.Buffer
	packed, err := gzip.NewWriterLevel(&archive, gzip.NoCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(packed)
	if err := errors.Join(w.AddFS(files), w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return archive.String()
}

// releaseFiles are the files of version 0.1.0 that the script uses, under the names that .goreleaser.yml gives them.
func releaseFiles(t *testing.T, provider, server []byte) map[string]string {
	t.Helper()
	files := map[string]string{
		"terraform-provider-agentplane_0.1.0_" + setupPlatform + ".zip": zipped(t, program("terraform-provider-agentplane_v0.1.0", provider)),
		"agentplane-devserver_0.1.0_" + setupPlatform + ".tar.gz":       tarred(t, program("agentplane-devserver", server)),
	}
	files["terraform-provider-agentplane_0.1.0_SHA256SUMS"] = checksums(files)
	script, err := os.ReadFile(filepath.Join(setupAction, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	files["agentplane-setup.sh"] = strings.Replace(string(script), "\nversion=\n", "\nversion=0.1.0\n", 1)
	return files
}

// checksums lists files as sha256sum does.
func checksums(files map[string]string) string {
	var sums strings.Builder
	for name, content := range files {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(content)), name)
	}
	return sums.String()
}

// buildRelease returns the programs of a release.
func buildRelease(t *testing.T) (provider, server []byte) {
	t.Helper()
	built := providertest.Build(t, root)
	return []byte(readText(t, filepath.Join(built, "terraform-provider-agentplane"))), []byte(readText(t, filepath.Join(built, "devserver")))
}

// TestAccSetup runs the script in all ways, for a module with a submodule and a second provider, which comes from a registry.
func TestAccSetup(t *testing.T) {
	t.Parallel()
	if os.Getenv("TF_ACC") == "" {
		t.Skip("Acceptance tests skipped unless env 'TF_ACC' set")
	}
	provider, server := buildRelease(t)
	var release string
	mirror := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(release, filepath.Base(r.URL.Path)))
	}))
	t.Cleanup(mirror.Close)
	files := releaseFiles(t, provider, server)
	const published = "https://github.com/agentplane/terraform-provider-agentplane/releases/download"
	files["agentplane-setup.sh"] = strings.Replace(files["agentplane-setup.sh"], "https://github.com/agentplane/$project/releases/download", mirror.URL, 1)
	release = writeFiles(t, files)
	script, err := filepath.Abs(filepath.Join(setupAction, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	action := actionCommands(t)
	component := strings.NewReplacer("$[[ inputs.source ]]", mirror.URL, "$[[ inputs.options ]]", "-seed -rollout 1s").
		Replace(readText(t, filepath.Join(root, ".ci", "gitlab", "setup.yml")))
	t.Run("taken port", func(t *testing.T) {
		t.Parallel()
		told, err := runSetup(t, release, "-- -seed -addr "+mirror.Listener.Addr().String())
		if err == nil || !strings.Contains(told, "address already in use") || strings.Contains(told, "evaluated") {
			t.Errorf("error = %v, want one with the log of the server:\n%s", err, told)
		}
	})
	for name, tc := range map[string]struct {
		environment []string
		before      string
		// stop ends the dev server.
		stop string
	}{
		"shell": {
			before: "eval \"$('" + script + "' -source '" + release + "' -- -seed -rollout 1s)\"", stop: "'" + script + "' stop",
		},
		"action": {
			environment: []string{"VERSION=v0.1.0", "SOURCE=" + mirror.URL, "OPTIONS=-seed -rollout 1s", "GITHUB_ENV=github.env", "RUNNER_TEMP=temp",
				"GITHUB_ACTION_PATH=" + filepath.Dir(script)},
			// The runner sets the variables for later steps.
			before: action + "\nset -a\n. ./github.env\nset +a", stop: "'" + script + "' stop -directory temp/agentplane",
		},
		"released":  {before: strings.ReplaceAll(elsewhere(t), published, mirror.URL), stop: "sh agentplane-setup.sh stop"},
		"component": {before: listed(t, component, "before_script"), stop: listed(t, component, "after_script")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCLI(t, providertest.NewDev(t))
			c.needs(6, 6)
			c.write("cli.tfrc", fmt.Sprintf("host %q {\n  services = { \"providers.v1\" = %q }\n}\n", registryHost, otherRegistry(t, "acme/other", provider)))
			c.write("main.tf", secondProvider)
			c.write("agent/main.tf", submodule)
			c.write("tests/deploy.tftest.hcl", "run \"deploys\" {\n  assert {\n    condition     = module.agent.status == \"DEPLOYED\"\n    error_message = \"It is not deployed.\"\n  }\n}\n")
			c.environment = slices.DeleteFunc(c.environment, func(v string) bool {
				return strings.HasPrefix(v, "AGENTPLANE_") || strings.HasPrefix(v, "TF_CLI_CONFIG_FILE")
			})
			told := c.shell("set -eu\n"+tc.before+"\nterraform init\nterraform test\n"+tc.stop+"\n! curl -s \"$AGENTPLANE_BASE_URL/healthz\"",
				append(tc.environment, "TF_CLI_CONFIG_FILE="+filepath.Join(c.directory, "cli.tfrc"))...)
			for _, want := range []string{"agentplane/agentplane v0.1.0", registryHost + "/acme/other v1.2.3", "1 passed, 0 failed"} {
				if !strings.Contains(told, want) {
					t.Errorf("the job doesn't print %q:\n%s", want, told)
				}
			}
		})
	}
}

const secondProvider = `terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
    other      = { source = "` + registryHost + `/acme/other" }
  }
}

variable "listener_id" {
  type = string
}

variable "k8s_namespace" {
  type = string
}

data "agentplane_listeners" "all" {
  provider = other
}

module "agent" {
  source        = "./agent"
  listener_id   = one([for l in data.agentplane_listeners.all.listeners : l.id if l.id == var.listener_id])
  k8s_namespace = var.k8s_namespace
}
`

const submodule = `terraform {
  required_providers {
    agentplane = { source = "agentplane/agentplane" }
  }
}

variable "listener_id" {
  type = string
}

variable "k8s_namespace" {
  type = string
}

resource "agentplane_deployment" "chat" {
  name                   = "chat"
  source                 = "external_container"
  source_revision_config = { image_uri = "registry.example.com/agents/chat:1.4.0" }
  source_config = {
    listener_id     = var.listener_id
    listener_config = { k8s_namespace = var.k8s_namespace }
  }
}

output "status" {
  value = agentplane_deployment.chat.latest_revision_status
}
`

// elsewhere are the commands of the guide with which a job starts that is neither on GitHub nor in GitLab.
func elsewhere(t *testing.T) string {
	t.Helper()
	for _, block := range codeBlocks(readText(t, filepath.Join(root, "templates", "guides", "testing.md"))) {
		if before, is := strings.CutSuffix(block.code, "terraform init && terraform test\n"); is && block.language == "shell" {
			return before
		}
	}
	t.Fatal("the guide has no such commands")
	return ""
}

// TestSetup_documented checks that the action and the file for GitLab are where the documentation says, and take what it sets.
func TestSetup_documented(t *testing.T) {
	t.Parallel()
	inputs := readText(t, filepath.Join(setupAction, "action.yml"))
	found := map[string]int{}
	for _, page := range []string{"README.md", filepath.Join("templates", "guides", "testing.md"), filepath.Join("templates", "guides", "dev-server.md")} {
		for _, block := range codeBlocks(readText(t, filepath.Join(root, page))) {
			if block.language != "yaml" {
				continue
			}
			for kind, pattern := range map[string]string{
				"action": `uses: agentplane/terraform-provider-agentplane/(.+)@`, "include": `/agentplane/terraform-provider-agentplane/v[0-9.]+/(.+)`,
			} {
				for _, named := range regexp.MustCompile(pattern).FindAllStringSubmatch(block.code, -1) {
					found[kind]++
					if _, err := os.Stat(filepath.Join(root, named[1])); err != nil {
						t.Errorf("%s: %v", page, err)
					}
				}
			}
			for _, set := range regexp.MustCompile(`(?m)^  with:\n((?:    \w+: .*\n)+)`).FindAllStringSubmatch(block.code, -1) {
				for _, input := range regexp.MustCompile(`(?m)^    (\w+):`).FindAllStringSubmatch(set[1], -1) {
					found["input"]++
					if !strings.Contains(inputs, "\n  "+input[1]+":\n") {
						t.Errorf("%s: the action has no input %s", page, input[1])
					}
				}
			}
		}
	}
	for _, kind := range []string{"action", "include", "input"} {
		if found[kind] == 0 {
			t.Errorf("no page has an %s: the pattern is wrong", kind)
		}
	}
}

// actionCommands are the commands of the action's only step.
func actionCommands(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`(?s)\n {6}run: \|\n(.*?)\n {6}env:`).FindStringSubmatch(readText(t, filepath.Join(setupAction, "action.yml")))
	if found == nil {
		t.Fatal("the action has no commands")
	}
	return found[1]
}

// listed are the commands of a list in a job of GitLab.
func listed(t *testing.T, job, list string) string {
	t.Helper()
	found := regexp.MustCompile(`\n  ` + list + `:\n((?:    - .*\n)+)`).FindStringSubmatch(job)
	if found == nil {
		t.Fatalf("the job has no %s", list)
	}
	return strings.ReplaceAll(found[1], "    - ", "")
}

// TestSetup_refuses checks the errors of the script with releases that are broken in some way. An eval of its output fails, too.
func TestSetup_refuses(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = busy.Close() })
	empty := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(empty.Close)
	const sums = "terraform-provider-agentplane_0.1.0_SHA256SUMS"
	for name, tc := range map[string]struct {
		arguments string
		change    func(files map[string]string)
		want      string
	}{
		"checksum": {
			change: func(files map[string]string) { files["agentplane-devserver_0.1.0_"+setupPlatform+".tar.gz"] += "x" },
			want:   "agentplane-devserver_0.1.0_" + setupPlatform + ".tar.gz has the checksum ",
		},
		"platform": {
			change: func(files map[string]string) {
				files[sums] = strings.ReplaceAll(files[sums], setupPlatform, "plan9_mips")
			},
			want: "this release has no files for " + setupPlatform,
		},
		"version":         {arguments: "-version 9.9.9", want: "There is no terraform-provider-agentplane_9.9.9_SHA256SUMS in "},
		"several":         {change: func(files map[string]string) { files[strings.Replace(sums, "0.1.0", "0.2.0", 1)] = "" }, want: "There are several versions in "},
		"URL":             {arguments: "-source " + empty.URL, want: "Name the -version of the files in "},
		"URL and version": {arguments: "-source " + empty.URL + " -version v9.9.9", want: "is 9.9.9 a released version?"},
		"no directory":    {arguments: "-source none", want: "There is no directory none."},
		"no release":      {change: func(files map[string]string) { clear(files) }, want: "There are no files of a release in "},
		"option":          {arguments: "-seed", want: "Unknown option -seed: those of the dev server follow --."},
		"no value":        {arguments: "-version", want: "-version needs a value."},
		"not started":     {want: "boom -addr 127.0.0.1:0 -seed"},
		"options":         {arguments: "-- -addr " + busy.Addr().String(), want: "boom -addr 127.0.0.1:0 -addr " + busy.Addr().String()},
		"configured": {
			change: func(files map[string]string) { files["cli.tfrc"] = "provider_installation {\n  direct {}\n}\n" },
			want:   "cli.tfrc has a provider_installation",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := releaseFiles(t, nil, []byte("#!/bin/sh\necho boom \"$@\" >&2\nexit 1\n"))
			if tc.change != nil {
				tc.change(files)
			}
			told, err := runSetup(t, writeFiles(t, files), tc.arguments)
			if err == nil || !strings.Contains(told, tc.want) {
				t.Errorf("error = %v, want one that says %q:\n%s", err, tc.want, told)
			}
		})
	}
}

// runSetup evaluates the output of the script, in an empty directory.
func runSetup(t *testing.T, release, arguments string) (string, error) {
	t.Helper()
	script, err := filepath.Abs(filepath.Join(setupAction, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", "set -e; eval \"$('"+script+"' -source '"+release+"' "+arguments+")\"; echo evaluated")
	command.Dir = t.TempDir()
	command.Env = append(os.Environ(), "HOME="+command.Dir, "TF_CLI_CONFIG_FILE="+filepath.Join(release, "cli.tfrc"))
	output, err := command.CombinedOutput()
	return string(output), err
}

// TestSetup_twice starts a server that has no keys, a second one beside it, which is refused, and another one after it.
func TestSetup_twice(t *testing.T) {
	t.Parallel()
	const server = "#!/bin/sh\necho listening on http://127.0.0.1:7\necho ready\nwhile sleep 0.1; do :; done\n"
	release := writeFiles(t, releaseFiles(t, nil, []byte(server)))
	script, err := filepath.Abs(filepath.Join(setupAction, "setup.sh"))
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	run := func(arguments ...string) (string, error) {
		command := exec.CommandContext(context.WithoutCancel(t.Context()), script, arguments...)
		command.Dir, command.Env = directory, append(os.Environ(), "HOME="+directory, "TF_CLI_CONFIG_FILE=")
		var told bytes.Buffer
		command.Stdout, command.Stderr = &told, &told
		err := command.Run()
		return told.String(), err
	}
	t.Cleanup(func() {
		if told, err := run("stop"); err != nil {
			t.Error(err, told)
		}
	})
	told, err := run("-source", release)
	if err != nil || !strings.Contains(told, "export AGENTPLANE_BASE_URL='http://127.0.0.1:7'\n") {
		t.Fatalf("started: %v\n%s", err, told)
	}
	if told, err := run("-source", release); err == nil || !strings.Contains(told, "still runs: stop it with ") {
		t.Errorf("started again: error = %v, want one that says how to stop it:\n%s", err, told)
	}
	if told, err := run("stop"); err != nil {
		t.Fatal(err, told)
	}
	if told, err := run("-source", release); err != nil {
		t.Fatal(err, told)
	}
}
