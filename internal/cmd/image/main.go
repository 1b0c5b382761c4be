package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

//go:embed config.json
var config string

func main() {
	if len(os.Args) != 4 || slices.Contains(os.Args, "") {
		fmt.Fprintln(os.Stderr, "usage: image VERSION COMMIT TIME, with the time of the commit in RFC 3339")
		os.Exit(2)
	}
	write(".", os.Args[1], os.Args[2], os.Args[3])
}

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
		values := map[string]string{"version": version, "revision": revision, "created": created, "architecture": architecture}
		description := must(v1.ParseConfigFile(strings.NewReader(os.Expand(config, func(name string) string { return values[name] }))))
		image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
		image = must(mutate.AppendLayers(image, layer(description.Created.Time, map[string]string{
			"agentplane-devserver":                      program,
			"usr/share/agentplane/LICENSE":              root + "/LICENSE",
			"usr/share/agentplane/LICENSE-genai-prices": root + "/internal/llmrun/listprice/LICENSE-genai-prices",
			"usr/share/agentplane/sbom.cdx.json":        root + "/dist/agentplane-devserver_" + version + "_linux_" + architecture + ".cdx.json",
		})))
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

// layer packs copies of files, the directories around them, and the roots that browsers trust, where Go looks for them. Those that they
// trust only in part, such as for certificates up to a date, are left out, because the file can't say so.
func layer(modified time.Time, sources map[string]string) v1.Layer {
	var roots, archive bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // A buffer has no errors.
		}
	}
	files := fstest.MapFS{
		"etc/ssl/certs/ca-certificates.crt": {Mode: 0o644, Data: roots.Bytes()},
		"data":                              {Mode: fs.ModeDir | 0o700, Sys: &tar.Header{Uid: 65532, Gid: 65532}}, // New volumes take over the owner.
		"tmp":                               {Mode: fs.ModeDir | fs.ModeSticky | 0o777},
	}
	for _, directory := range []string{"etc", "etc/ssl", "etc/ssl/certs", "usr", "usr/share", "usr/share/agentplane"} {
		files[directory] = &fstest.MapFile{Mode: fs.ModeDir | 0o755}
	}
	for name, source := range sources {
		files[name] = &fstest.MapFile{Mode: 0o644, Data: must(os.ReadFile(source))}
	}
	files["agentplane-devserver"].Mode = 0o755
	for _, file := range files {
		file.ModTime = modified
	}
	w := tar.NewWriter(&archive)
	must(0, w.AddFS(files))
	must(0, w.Close())
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }
	return must(tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.DefaultCompression)))
}
