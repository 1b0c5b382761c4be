package devservertest

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

//go:embed testdata/npm
var testdata embed.FS

// npmFiles are the scripts that use npm packages, and the list of these packages.
var npmFiles = func() fs.FS {
	files, err := fs.Sub(testdata, "testdata/npm")
	if err != nil {
		panic(err)
	}
	return files
}()

// InstallNPM copies the scripts into a directory with the packages that they import.
func InstallNPM(t testing.TB) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("AGENTPLANE_TEST_NPM") != "" {
			t.Fatalf("AGENTPLANE_TEST_NPM is set and there is no npm: %s", err)
		}
		t.Skip("npm is not installed")
	}
	packages, err := npmPackages()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	if err := os.CopyFS(dir, npmFiles); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// npmPackages returns the node_modules of testdata/npm. The first run on a machine installs them in the user's cache
// directory, so that later runs need neither a network nor the time. The directory is named after a hash of its inputs, and
// renamed to that name when it is complete: an interrupted installation leaves nothing that is used, and one of several
// concurrent ones wins.
var npmPackages = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "terraform-provider-agentplane", "npm")
	digest := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json"} {
		content, err := fs.ReadFile(npmFiles, name)
		if err != nil {
			return "", err
		}
		digest.Write(content)
	}
	installed := filepath.Join(cache, hex.EncodeToString(digest.Sum(nil)))
	packages := filepath.Join(installed, "node_modules")
	if _, err := os.Stat(packages); err == nil {
		return packages, nil
	}
	if err := os.MkdirAll(cache, 0o750); err != nil {
		return "", err
	}
	staging, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(staging)
	if err := os.CopyFS(staging, npmFiles); err != nil {
		return "", err
	}
	install := exec.CommandContext(context.Background(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
	install.Dir = staging
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(staging, installed); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return packages, nil
})
