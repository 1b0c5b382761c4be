package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"
)

// Types of blobs, from the OCI image specification.
const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

type program struct {
	architecture string
	files        map[string][]byte
}

// maker makes the image of a version.
type maker struct {
	version, revision string
	created           time.Time
	programs          []program
}

type (
	platform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Platform    *platform         `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	index struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Manifests     []descriptor      `json:"manifests"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	manifest struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Config        descriptor        `json:"config"`
		Layers        []descriptor      `json:"layers"`
		Annotations   map[string]string `json:"annotations"`
	}
	execution struct {
		User         string
		ExposedPorts map[string]struct{}
		Entrypoint   []string
		Cmd          []string
		Volumes      map[string]struct{}
		WorkingDir   string
		Labels       map[string]string
		StopSignal   string
	}
	image struct {
		platform

		Created time.Time `json:"created"`
		Config  execution `json:"config"`
		RootFS  struct {
			Type    string   `json:"type"`
			DiffIDs []string `json:"diff_ids"`
		} `json:"rootfs"`
	}
)

// labels describe the image, on the image itself and wherever registries look for them.
func (m maker) labels() map[string]string {
	const repository = "https://github.com/agentplane/terraform-provider-agentplane"
	return map[string]string{
		"org.opencontainers.image.title":         "Agentplane dev server",
		"org.opencontainers.image.description":   "A control plane and tracing service for development and tests",
		"org.opencontainers.image.version":       m.version,
		"org.opencontainers.image.revision":      m.revision,
		"org.opencontainers.image.created":       m.created.Format(time.RFC3339),
		"org.opencontainers.image.source":        repository,
		"org.opencontainers.image.url":           repository,
		"org.opencontainers.image.documentation": repository + "/blob/main/docs/guides/dev-server.md",
		"org.opencontainers.image.licenses":      "MPL-2.0",
	}
}

// execution says how the server is started. What users set follows the entry point and overrides it.
func (m maker) execution() execution {
	return execution{
		User:         fmt.Sprintf("%d:%d", user, user),
		ExposedPorts: map[string]struct{}{"8124/tcp": {}},
		Entrypoint:   []string{"/" + serverName, "-addr", "0.0.0.0:8124", "-host", "agentplane", "-data", data + "/plane.db"},
		Cmd:          []string{"-seed"}, // Without a key, the server refuses to be reached by other machines.
		Volumes:      map[string]struct{}{data: {}},
		WorkingDir:   data,
		Labels:       m.labels(),
		StopSignal:   "SIGTERM",
	}
}

// write writes the image as an image layout in a tar file.
func (m maker) write(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	l := &layout{tar: tar.NewWriter(file), modified: m.created}
	all := index{SchemaVersion: 2, MediaType: typeIndex, Annotations: m.labels()}
	for _, p := range m.programs {
		added, err := m.add(l, p)
		if err != nil {
			return err
		}
		all.Manifests = append(all.Manifests, added)
	}
	top, err := l.document(typeIndex, all)
	if err != nil {
		return err
	}
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": m.version}
	entry, err := json.Marshal(index{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{top}})
	if err != nil {
		return err
	}
	return errors.Join(l.file("index.json", entry), l.file("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), l.tar.Close())
}

// add adds the image of one platform.
func (m maker) add(l *layout, p program) (descriptor, error) {
	var none descriptor
	files, err := layer(p.files, m.created)
	if err != nil {
		return none, err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(files); err != nil {
		return none, err
	}
	if err := w.Close(); err != nil {
		return none, err
	}
	content, err := l.blob(typeLayer, packed.Bytes())
	if err != nil {
		return none, err
	}
	description := image{platform: platform{p.architecture, "linux"}, Created: m.created, Config: m.execution()}
	description.RootFS.Type, description.RootFS.DiffIDs = "layers", []string{digest(files)}
	config, err := l.document(typeConfig, description)
	if err != nil {
		return none, err
	}
	added, err := l.document(typeManifest, manifest{2, typeManifest, config, []descriptor{content}, m.labels()})
	added.Platform = &description.platform
	return added, err
}

// layout writes an image layout.
type layout struct {
	tar      *tar.Writer
	modified time.Time
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

func (l *layout) document(mediaType string, document any) (descriptor, error) {
	content, err := json.Marshal(document)
	if err != nil {
		return descriptor{}, err
	}
	return l.blob(mediaType, content)
}

func (l *layout) blob(mediaType string, content []byte) (descriptor, error) {
	d := descriptor{MediaType: mediaType, Digest: digest(content), Size: len(content)}
	return d, l.file("blobs/sha256/"+d.Digest[len("sha256:"):], content)
}

func (l *layout) file(name string, content []byte) error {
	header := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(content)), ModTime: l.modified, Format: tar.FormatUSTAR}
	if err := l.tar.WriteHeader(header); err != nil {
		return err
	}
	_, err := l.tar.Write(content)
	return err
}
