package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

// architectures are those of the images, if the release has archives for them: GOARCH, which image indexes use, too.
var architectures = []string{"amd64", "arm64"}

// run writes the image of a release beside its archives.
func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dist := flags.String("dist", "dist", "`directory` with the files of the release")
	version := flags.String("version", "", "the `version` in the names of the files")
	revision := flags.String("revision", "", "the `commit` that they are built from")
	created := flags.String("created", "", "the `time` of that commit, in RFC 3339")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at, err := time.Parse(time.RFC3339, *created)
	if err != nil {
		return fmt.Errorf("-created: %w", err)
	}
	if *version == "" || *revision == "" {
		return errors.New("-version and -revision are required")
	}
	m := maker{version: *version, revision: *revision, created: at.UTC().Truncate(time.Second)}
	base := filepath.Join(*dist, "agentplane-devserver_"+*version)
	for _, architecture := range architectures {
		files, err := readRelease(base + "_linux_" + architecture)
		if errors.Is(err, os.ErrNotExist) {
			continue // A dry run builds one platform.
		}
		if err != nil {
			return err
		}
		m.programs = append(m.programs, program{architecture, files})
	}
	if len(m.programs) == 0 {
		return fmt.Errorf("there is no %s_linux_*.tar.gz", base)
	}
	return m.write(base + "_image.tar")
}

// readRelease reads the archive of a platform, and the list of what the server in it is made of.
func readRelease(base string) (map[string][]byte, error) {
	archive, err := os.Open(base + ".tar.gz")
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	packed, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for entries := tar.NewReader(packed); ; {
		header, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if files[header.Name], err = io.ReadAll(entries); err != nil {
			return nil, err
		}
	}
	if files["sbom.cdx.json"], err = os.ReadFile(base + ".cdx.json"); err != nil {
		return nil, err
	}
	for _, name := range []string{serverName, "LICENSE", "LICENSE-genai-prices"} {
		if files[name] == nil {
			return nil, fmt.Errorf("%s.tar.gz has no %s", base, name)
		}
	}
	return files, nil
}
