package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const created, revision = "2026-12-01T09:00:00Z", "0123456789abcdef0123456789abcdef01234567"

// writeRelease writes what goreleaser leaves of a platform, and the licenses that are in the repository.
func writeRelease(t *testing.T, root, platform, directory string, server []byte) {
	t.Helper()
	for name, content := range map[string][]byte{
		"dist/" + directory + "/agentplane-devserver":               server,
		"dist/agentplane-devserver_0.1.0_" + platform + ".cdx.json": []byte(`{"bomFormat": "CycloneDX"}`),
		"LICENSE": []byte("the license"),
		"internal/llmrun/listprice/LICENSE-genai-prices":     []byte("that of the prices"),
		"internal/devserver/pages/web/static/LICENSE-lucide": []byte("that of the icons"),
	} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// makeImage makes the image of version 0.1.0 and returns its path.
func makeImage(root string) string {
	write(root, "0.1.0", revision, created)
	return filepath.Join(root, "dist", "image")
}

type entry struct {
	Header  *tar.Header
	Content []byte
}

// unpacked are the entries of an archive, by their names.
func unpacked(t *testing.T, archive io.Reader) map[string]entry {
	t.Helper()
	entries := map[string]entry{}
	for r := tar.NewReader(archive); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		entries[header.Name] = entry{header, content}
	}
}

// parsed is an image of one platform, as the OCI image specification describes it.
type parsed struct {
	config map[string]any
	files  map[string]entry
}

// readImage reads an image layout, and checks all digests and sizes.
func readImage(t *testing.T, path string) map[string]parsed {
	t.Helper()
	top := must(layout.ImageIndexFromPath(path))
	named := must(top.IndexManifest()).Manifests
	if len(named) != 1 || named[0].Annotations["org.opencontainers.image.ref.name"] == "" {
		t.Fatalf("index.json has %+v, want one image with a name", named)
	}
	platforms := must(top.ImageIndex(named[0].Digest))
	if err := validate.Index(platforms); err != nil {
		t.Fatal(err)
	}
	labels := must(platforms.IndexManifest()).Annotations
	images := map[string]parsed{}
	for _, d := range must(platforms.IndexManifest()).Manifests {
		image := must(platforms.Image(d.Digest))
		manifest := must(image.Manifest())
		if d.MediaType != types.OCIManifestSchema1 || manifest.Config.MediaType != types.OCIConfigJSON || len(manifest.Layers) != 1 ||
			manifest.Layers[0].MediaType != types.OCILayer {
			t.Fatalf("the manifest is %+v", manifest)
		}
		var p parsed
		if err := json.Unmarshal(must(image.RawConfigFile()), &p.config); err != nil {
			t.Fatal(err)
		}
		for name, annotations := range map[string]map[string]string{"manifest": manifest.Annotations, "index": labels} {
			if diff := cmp.Diff(must(image.ConfigFile()).Config.Labels, annotations); diff != "" {
				t.Errorf("labels and annotations of the %s (-label +annotation):\n%s", name, diff)
			}
		}
		p.files = unpacked(t, must(must(image.Layers())[0].Uncompressed()))
		images[d.Platform.String()] = p
	}
	return images
}

// TestImage makes the image of two platforms.
func TestImage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for platform, directory := range map[string]string{
		"linux_amd64": "devserver_linux_amd64_v1", "linux_arm64": "devserver_linux_arm64_v8.0", "darwin_arm64": "devserver_darwin_arm64_v8.0",
	} {
		writeRelease(t, root, platform, directory, []byte("the server for "+platform))
	}
	path := makeImage(root)
	images := readImage(t, path)
	if len(images) != 2 {
		t.Errorf("there are images for %v", images)
	}
	const repository = "https://github.com/agentplane/terraform-provider-agentplane"
	for _, architecture := range []string{"amd64", "arm64"} {
		image := images["linux/"+architecture]
		delete(image.config, "rootfs")
		want := map[string]any{
			"architecture": architecture, "os": "linux", "created": "2026-12-01T09:00:00Z",
			"config": map[string]any{
				"User": "65532:65532", "WorkingDir": "/data", "StopSignal": "SIGTERM", "Cmd": []any{"-seed"},
				"Entrypoint":   []any{"/agentplane-devserver", "-addr", "0.0.0.0:8124", "-host", "agentplane", "-data", "/data/plane.db"},
				"ExposedPorts": map[string]any{"8124/tcp": map[string]any{}}, "Volumes": map[string]any{"/data": map[string]any{}},
				"Labels": map[string]any{
					"org.opencontainers.image.title": "Agentplane dev server", "org.opencontainers.image.version": "0.1.0",
					"org.opencontainers.image.description": "A control plane and tracing service for development and tests",
					"org.opencontainers.image.revision":    revision, "org.opencontainers.image.created": "2026-12-01T09:00:00Z",
					"org.opencontainers.image.source": repository, "org.opencontainers.image.url": repository,
					"org.opencontainers.image.documentation": repository + "/blob/main/docs/guides/dev-server.md",
					"org.opencontainers.image.licenses":      "MPL-2.0",
				},
			},
		}
		if diff := cmp.Diff(want, image.config); diff != "" {
			t.Errorf("%s: configuration (-want +got):\n%s", architecture, diff)
		}
		modes := map[string]string{}
		for name, e := range image.files {
			modes[name] = fmt.Sprintf("%o %d:%d", e.Header.Mode, e.Header.Uid, e.Header.Gid)
			if at := e.Header.ModTime.UTC().Format("2006-01-02T15:04:05Z"); at != "2026-12-01T09:00:00Z" {
				t.Errorf("%s has the time %s", name, at)
			}
		}
		wantModes := map[string]string{
			"agentplane-devserver": "755 0:0", "data/": "700 65532:65532", "tmp/": "1777 0:0",
			"usr/": "755 0:0", "usr/share/": "755 0:0", "usr/share/agentplane/": "755 0:0", "usr/share/agentplane/LICENSE": "644 0:0",
			"usr/share/agentplane/LICENSE-genai-prices": "644 0:0", "usr/share/agentplane/LICENSE-lucide": "644 0:0", "usr/share/agentplane/sbom.cdx.json": "644 0:0",
		}
		if diff := cmp.Diff(wantModes, modes); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", architecture, diff)
		}
		if got := string(image.files["agentplane-devserver"].Content); got != "the server for linux_"+architecture {
			t.Errorf("%s has %s", architecture, got)
		}
	}

	// The index has the digests of all other files.
	first := must(os.ReadFile(filepath.Join(path, "index.json")))
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if second := must(os.ReadFile(filepath.Join(makeImage(root), "index.json"))); !bytes.Equal(first, second) {
		t.Errorf("two images of one release differ: %s and %s", first, second)
	}
}

// TestImage_refuses makes no image of what isn't whole.
func TestImage_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ missing, version, created, want string }{
		"a license":    {"LICENSE", "0.1.0", created, "LICENSE: no such file"},
		"of prices":    {"internal/llmrun/listprice/LICENSE-genai-prices", "0.1.0", created, "LICENSE-genai-prices: no such file"},
		"of icons":     {"internal/devserver/pages/web/static/LICENSE-lucide", "0.1.0", created, "LICENSE-lucide: no such file"},
		"a server":     {"dist/devserver_linux_amd64_v1/agentplane-devserver", "0.1.0", created, "dist/ has no dev server for Linux"},
		"this version": {"", "0.2.0", created, "agentplane-devserver_0.2.0_linux_amd64.cdx.json: no such file"},
		"a time":       {"", "0.1.0", "noon", `cannot parse "noon"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			writeRelease(t, root, "linux_amd64", "devserver_linux_amd64_v1", []byte("the server"))
			if err := os.Remove(filepath.Join(root, tc.missing)); tc.missing != "" && err != nil {
				t.Fatal(err)
			}
			defer func() {
				if problem := fmt.Sprint(recover()); !strings.Contains(problem, tc.want) {
					t.Errorf("it stops with %s, want %q", problem, tc.want)
				}
				if made, _ := filepath.Glob(filepath.Join(root, "dist", "image", "*")); made != nil {
					t.Errorf("it makes %s", made)
				}
			}()
			write(root, tc.version, revision, tc.created)
		})
	}
}
