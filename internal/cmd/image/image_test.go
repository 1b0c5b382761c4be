package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const created, revision = "2026-12-01T10:00:00+01:00", "0123456789abcdef0123456789abcdef01234567"

// releaseFiles are the files in the archive of a release.
var releaseFiles = map[string]string{serverName: "the server", "LICENSE": "the license", "LICENSE-genai-prices": "that of the prices"}

// writeRelease writes the archive of a platform, and the list beside it.
func writeRelease(t *testing.T, directory, platform string, files map[string]string) {
	t.Helper()
	var archive bytes.Buffer
	packed := gzip.NewWriter(&archive)
	w := tar.NewWriter(packed)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(directory, "agentplane-devserver_0.1.0_"+platform)
	for name, content := range map[string][]byte{base + ".tar.gz": archive.Bytes(), base + ".cdx.json": []byte(`{"bomFormat": "CycloneDX"}`)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// makeImage makes the image of version 0.1.0 and returns its path.
func makeImage(t *testing.T, directory string) string {
	t.Helper()
	if err := run([]string{"-dist", directory, "-version", "0.1.0", "-revision", revision, "-created", created}, io.Discard); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(directory, "agentplane-devserver_0.1.0_image.tar")
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
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	layout := unpacked(t, bytes.NewReader(content))
	if got := string(layout["oci-layout"].Content); got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout = %s", got)
	}
	type described struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Annotations map[string]string `json:"annotations"`
		Platform    struct{ OS, Architecture string }
	}
	blob := func(d described, mediaType string) []byte {
		t.Helper()
		content := layout["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")].Content
		if got := fmt.Sprintf("sha256:%x", sha256.Sum256(content)); d.MediaType != mediaType || d.Digest != got || d.Size != len(content) {
			t.Errorf("a blob of %d bytes with digest %s is described by %+v, want the type %s", len(content), got, d, mediaType)
		}
		return content
	}
	decode := func(content []byte, document any) {
		t.Helper()
		if err := json.Unmarshal(content, document); err != nil {
			t.Fatalf("%v: %s", err, content)
		}
	}
	var top, platforms struct {
		SchemaVersion int
		Manifests     []described
	}
	decode(layout["index.json"].Content, &top)
	if len(top.Manifests) != 1 || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] == "" {
		t.Fatalf("index.json has %+v, want one image with a name", top.Manifests)
	}
	decode(blob(top.Manifests[0], "application/vnd.oci.image.index.v1+json"), &platforms)
	images := map[string]parsed{}
	for _, d := range platforms.Manifests {
		var manifest struct {
			SchemaVersion int
			Config        described
			Layers        []described
		}
		decode(blob(d, "application/vnd.oci.image.manifest.v1+json"), &manifest)
		if manifest.SchemaVersion != 2 || platforms.SchemaVersion != 2 || top.SchemaVersion != 2 || len(manifest.Layers) != 1 {
			t.Fatalf("the manifest is %+v", manifest)
		}
		var image parsed
		decode(blob(manifest.Config, "application/vnd.oci.image.config.v1+json"), &image.config)
		packed, err := gzip.NewReader(bytes.NewReader(blob(manifest.Layers[0], "application/vnd.oci.image.layer.v1.tar+gzip")))
		if err != nil {
			t.Fatal(err)
		}
		layer, err := io.ReadAll(packed)
		if err != nil {
			t.Fatal(err)
		}
		wantFS := map[string]any{"type": "layers", "diff_ids": []any{fmt.Sprintf("sha256:%x", sha256.Sum256(layer))}}
		if diff := cmp.Diff(wantFS, image.config["rootfs"]); diff != "" {
			t.Errorf("rootfs (-want +got):\n%s", diff)
		}
		image.files = unpacked(t, bytes.NewReader(layer))
		images[d.Platform.OS+"/"+d.Platform.Architecture] = image
	}
	return images
}

// TestImage makes the image of two platforms.
func TestImage(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_arm64"} {
		files := maps.Clone(releaseFiles)
		files[serverName] += " for " + platform
		writeRelease(t, directory, platform, files)
	}
	path := makeImage(t, directory)
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
			"etc/": "755 0:0", "etc/ssl/": "755 0:0", "etc/ssl/certs/": "755 0:0", "etc/ssl/certs/ca-certificates.crt": "644 0:0",
			"usr/": "755 0:0", "usr/share/": "755 0:0", "usr/share/agentplane/": "755 0:0", "usr/share/agentplane/LICENSE": "644 0:0",
			"usr/share/agentplane/LICENSE-genai-prices": "644 0:0", "usr/share/agentplane/sbom.cdx.json": "644 0:0",
		}
		if diff := cmp.Diff(wantModes, modes); diff != "" {
			t.Errorf("%s: files (-want +got):\n%s", architecture, diff)
		}
		if got := string(image.files[serverName].Content); got != "the server for linux_"+architecture {
			t.Errorf("%s has %s", architecture, got)
		}
		checkCertificates(t, image.files["etc/ssl/certs/ca-certificates.crt"].Content)
	}

	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(makeImage(t, directory))
	if err != nil || !bytes.Equal(first, second) {
		t.Errorf("two images of one release differ: %v", err)
	}
}

// checkCertificates expects the file to have roots, each of which is a certificate authority.
func checkCertificates(t *testing.T, file []byte) {
	t.Helper()
	count := 0
	for block, rest := pem.Decode(file); block != nil; block, rest = pem.Decode(rest) {
		count++
		if root, err := x509.ParseCertificate(block.Bytes); err != nil || !root.IsCA {
			t.Errorf("certificate %d: %v", count, err)
		}
	}
	if count < 50 {
		t.Errorf("there are %d certificates, want at least 50", count)
	}
}

func TestImage_refuses(t *testing.T) {
	t.Parallel()
	incomplete := maps.Clone(releaseFiles)
	delete(incomplete, "LICENSE-genai-prices")
	for name, tc := range map[string]struct {
		arguments []string
		files     map[string]string
		want      string
	}{
		"time":        {[]string{"-version", "0.1.0", "-revision", revision}, releaseFiles, "-created: "},
		"no version":  {[]string{"-created", created, "-revision", revision}, releaseFiles, "-version and -revision are required"},
		"other one":   {[]string{"-created", created, "-revision", revision, "-version", "0.2.0"}, releaseFiles, "there is no "},
		"no license":  {[]string{"-created", created, "-revision", revision, "-version", "0.1.0"}, incomplete, "has no LICENSE-genai-prices"},
		"no argument": {[]string{"-platform", "linux"}, releaseFiles, "not defined: -platform"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			writeRelease(t, directory, "linux_amd64", tc.files)
			err := run(append(tc.arguments, "-dist", directory), io.Discard)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error = %v, want %q", err, tc.want)
			}
			if made, _ := filepath.Glob(filepath.Join(directory, "*_image.tar")); made != nil {
				t.Errorf("it makes %s", made)
			}
		})
	}
}
