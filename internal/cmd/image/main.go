package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"os"
	"path/filepath"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

//go:embed config.json
var config string

func main() { write(".", os.Args[1], os.Args[2], os.Args[3]) }

// must ends the program: there is no image of half a release.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// write writes the image of a version. Its commit was created at a time in UTC, which all files get.
func write(root, version, revision, created string) {
	var index v1.ImageIndex = empty.Index
	var labels map[string]string
	for _, program := range must(filepath.Glob(root + "/dist/devserver_linux_*/agentplane-devserver")) {
		architecture := strings.Split(filepath.Base(filepath.Dir(program)), "_")[2]
		values := strings.NewReplacer("$version", version, "$revision", revision, "$created", created, "$architecture", architecture)
		description := must(v1.ParseConfigFile(strings.NewReader(values.Replace(config))))
		sbom := root + "/dist/agentplane-devserver_" + version + "_linux_" + architecture + ".cdx.json"
		image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
		image = must(mutate.AppendLayers(image, layer(root, program, sbom, description.Created)))
		description.RootFS, labels = must(image.ConfigFile()).RootFS, description.Config.Labels
		image, _ = mutate.Annotations(must(mutate.ConfigFile(image, description)), labels).(v1.Image)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: description.Platform()}})
	}
	if labels == nil {
		panic("dist/ has no dev server for Linux")
	}
	index, _ = mutate.Annotations(index, labels).(v1.ImageIndex)
	named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": version})
	must(0, must(layout.Write(root+"/dist/image", empty.Index)).AppendIndex(index, named))
}

// layer packs the files of the image.
func layer(root, program, sbom string, modified v1.Time) v1.Layer {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	add := func(name string, mode int64, owner int, content []byte) {
		must(0, w.WriteHeader(&tar.Header{Name: name, Mode: mode, Uid: owner, Gid: owner, Size: int64(len(content)), ModTime: modified.Time}))
		must(w.Write(content))
	}
	for _, directory := range []string{"usr/", "usr/share/", "usr/share/agentplane/"} {
		add(directory, 0o755, 0, nil)
	}
	add("data/", 0o700, 65532, nil) // New volumes take over the owner.
	add("tmp/", 0o1777, 0, nil)
	add("agentplane-devserver", 0o755, 0, must(os.ReadFile(program)))
	for _, license := range []string{"LICENSE", "internal/llmrun/listprice/LICENSE-genai-prices", "internal/devserver/pages/web/static/LICENSE-lucide"} {
		add("usr/share/agentplane/"+filepath.Base(license), 0o644, 0, must(os.ReadFile(filepath.Join(root, license))))
	}
	add("usr/share/agentplane/sbom.cdx.json", 0o644, 0, must(os.ReadFile(sbom))) //nolint:gosec // A file of the release.
	must(0, w.Close())
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return must(tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression)))
}
