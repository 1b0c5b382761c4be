package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"encoding/pem"
	"maps"
	"path"
	"slices"
	"time"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

const (
	serverName = "agentplane-devserver"
	// user is the user and group of the process. Kubernetes can verify only numbers not to be root.
	user = 65532
	// data is the directory of the volume.
	data = "/data"
)

// layer returns the files of the image as an archive, in the order of their names and all with the same time.
func layer(files map[string][]byte, modified time.Time) ([]byte, error) {
	entries := map[string]*tar.Header{
		"tmp":    {Mode: 0o1777},
		data[1:]: {Mode: 0o700, Uid: user, Gid: user}, // New volumes take over the owner.
	}
	contents := map[string][]byte{"etc/ssl/certs/ca-certificates.crt": certificates()}
	for name, content := range files {
		if name != serverName {
			name = "usr/share/agentplane/" + name
		}
		contents[name] = content
	}
	for name, content := range contents {
		entries[name] = &tar.Header{Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}
		for directory := path.Dir(name); directory != "."; directory = path.Dir(directory) {
			entries[directory] = &tar.Header{Mode: 0o755}
		}
	}
	entries[serverName].Mode = 0o755

	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		header := entries[name]
		header.Name, header.ModTime, header.Format = name, modified, tar.FormatUSTAR
		if header.Typeflag = cmp.Or(header.Typeflag, tar.TypeDir); header.Typeflag == tar.TypeDir {
			header.Name += "/"
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(contents[name]); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}

// certificates are the roots that browsers trust, where Go looks for them. Those that they trust only in part, such as for certificates up
// to a date, are left out, because the file can't say so.
func certificates() []byte {
	var file bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&file, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // A buffer has no errors.
		}
	}
	return file.Bytes()
}
