package main

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// TestImage_starts unpacks the image and starts its server as the image says, with the image as the root directory where that is possible. By
// default, the server is one for tests; with AGENTPLANE_TEST_IMAGE, the image is the layout of a release.
func TestImage_starts(t *testing.T) {
	t.Parallel()
	path := os.Getenv("AGENTPLANE_TEST_IMAGE")
	if path == "" {
		path = imageForTests(t)
	}
	image, is := readImage(t, path)["linux/"+runtime.GOARCH]
	if !is {
		t.Fatalf("%s has no image for %s", path, runtime.GOARCH)
	}
	config, is := image.config["config"].(map[string]any)
	if !is {
		t.Fatalf("the configuration is %v", image.config)
	}
	directory := unpackImage(t, image.files)
	command := imageCommand(t, directory, config)
	var log strings.Builder
	command.Stderr = &log
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "ready" {
		if name, value, is := strings.Cut(strings.TrimPrefix(lines.Text(), "export "), "="); is {
			variables[name] = strings.Trim(value, "'")
		}
	}
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/v2/deployments": http.StatusOK} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, variables["AGENTPLANE_BASE_URL"]+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", variables["AGENTPLANE_API_KEY"])
		request.Host = "agentplane:8124" // The name by which other containers reach it.
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatalf("%v\n%s", err, &log)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, answer.StatusCode, want)
		}
	}
	if _, err := os.Stat(filepath.Join(directory, "data", "plane.db")); err != nil {
		t.Error(err)
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Errorf("after SIGTERM, it ends with %v:\n%s", err, &log)
	}
}

// imageForTests makes an image with a server that is built as all others are in tests, or that AGENTPLANE_TEST_PROVIDER has, which takes a
// second instead of minutes: it may need the libraries of this machine.
func imageForTests(t *testing.T) string {
	t.Helper()
	directory := t.TempDir()
	built := os.Getenv("AGENTPLANE_TEST_PROVIDER")
	if built == "" {
		built = directory
		if output, err := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-w", "-o", built, "../devserver").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, output)
		}
	}
	content, err := os.ReadFile(filepath.Join(built, "devserver"))
	if err != nil {
		t.Fatal(err)
	}
	writeRelease(t, directory, "linux_"+runtime.GOARCH, "devserver_linux_"+runtime.GOARCH+"_v1", content)
	return makeImage(directory)
}

// unpackImage writes the files of an image below a new directory.
func unpackImage(t *testing.T, files map[string]entry) string {
	t.Helper()
	directory := t.TempDir()
	if err := os.Chmod(filepath.Dir(directory), 0o711); err != nil { //nolint:gosec // The user of the image passes through it.
		t.Fatal(err)
	}
	for name, e := range files {
		path, mode := filepath.Join(directory, name), e.Header.FileInfo().Mode()
		var err error
		if strings.HasSuffix(name, "/") {
			err = errors.Join(os.MkdirAll(path, 0o755), os.Chmod(path, mode))
		} else {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, e.Content, mode.Perm()))
		}
		if err == nil && os.Geteuid() == 0 {
			err = os.Chown(path, e.Header.Uid, e.Header.Gid)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return directory
}

// imageCommand is what a runtime starts, on a free port. Only root may change the root directory and the user, and only a program without
// libraries runs in another root directory.
func imageCommand(t *testing.T, directory string, config map[string]any) *exec.Cmd {
	t.Helper()
	var arguments []string
	for _, list := range []string{"Entrypoint", "Cmd"} {
		words, _ := config[list].([]any)
		for _, word := range words {
			arguments = append(arguments, fmt.Sprint(word))
		}
	}
	arguments = append(arguments, "-addr", "127.0.0.1:0")
	program := filepath.Join(directory, arguments[0])
	command := exec.CommandContext(t.Context(), program, arguments[1:]...)
	command.Env = []string{}
	attributes := &syscall.SysProcAttr{}
	command.SysProcAttr = attributes
	if os.Geteuid() == 0 {
		var uid, gid uint32
		if _, err := fmt.Sscanf(fmt.Sprint(config["User"]), "%d:%d", &uid, &gid); err != nil || uid == 0 {
			t.Fatalf("the user is %v", config["User"])
		}
		attributes.Credential = &syscall.Credential{Uid: uid, Gid: gid}
	}
	needed := libraries(t, program)
	switch {
	case len(needed) > 0 && os.Getenv("AGENTPLANE_TEST_IMAGE") != "":
		t.Errorf("the server of the release needs %v", needed)
	case len(needed) == 0 && os.Geteuid() == 0:
		attributes.Chroot, command.Path, command.Dir = directory, arguments[0], fmt.Sprint(config["WorkingDir"])
		return command
	}
	command.Args = append(command.Args, "-data", filepath.Join(directory, "data", "plane.db"))
	return command
}

// libraries are the shared libraries of a program.
func libraries(t *testing.T, program string) []string {
	t.Helper()
	if runtime.GOOS != "linux" {
		return []string{"those of " + runtime.GOOS}
	}
	binary, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer binary.Close()
	needed, err := binary.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	return needed
}
