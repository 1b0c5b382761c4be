package main

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// program is what the corpus says about a program that sends traces.
type program struct {
	// said has what the first lines of its outline say, by what they are about.
	said map[string]string
	// versions are those of the packages that sent what was recorded; nil if its requests were written by hand.
	versions map[string]string
}

// headline matches a line at the beginning of an outline.
var headline = regexp.MustCompile(`(?m)^# ([A-Z][a-z ]+): (.+)$`)

func readPrograms(corpus string) ([]program, error) {
	outlines, err := filepath.Glob(filepath.Join(corpus, "expected", "*.txt"))
	if err != nil || len(outlines) == 0 {
		return nil, errors.Join(err, errors.New(corpus+" has no outlines"))
	}
	programs := make([]program, len(outlines))
	for i, outline := range outlines {
		text, err := os.ReadFile(outline)
		if err != nil {
			return nil, err
		}
		said := map[string]string{}
		for _, line := range headline.FindAllStringSubmatch(string(text), -1) {
			said[line[1]] = line[2]
		}
		name := strings.TrimSuffix(filepath.Base(outline), ".txt")
		versions, err := readVersions(filepath.Join(corpus, "recorded", name+".json.gz"))
		if err != nil {
			return nil, err
		}
		programs[i] = program{said, versions}
	}
	return programs, nil
}

// readVersions reads the end of a recording; without a recording, there are none.
func readVersions(recording string) (map[string]string, error) {
	file, err := os.Open(recording)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // It was only read.
	plain, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var last struct{ Packages map[string]string }
	for decoder := json.NewDecoder(plain); err == nil; {
		err = decoder.Decode(&last)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return last.Packages, nil
}

// packages are those that a program is about.
func (p program) packages() []string {
	if p.versions == nil {
		return nil
	}
	return strings.Split(p.said["Packages"], ", ")
}

// tables returns the tables of the corpus by the comments in whose place they are in guides.
func tables(programs []program) *strings.Replacer {
	var libraries, packages []string
	versions := map[string][]string{}
	for _, p := range programs {
		sources := p.packages()
		if sources == nil {
			sources = []string{"written from " + p.said["Written from"]}
		}
		for i, name := range p.packages() {
			version := p.versions[name]
			if sources[i] = "`" + name + "` " + version; !slices.Contains(versions[name], version) {
				versions[name] = append(versions[name], version)
			}
		}
		row := "| " + p.said["Library"] + " | " + strings.Join(sources, ", ") + " | " + p.said["Not sent"] + " |\n"
		libraries = append(libraries, strings.ReplaceAll(row, "|  |", "| |"))
	}
	for name, all := range versions {
		slices.Sort(all)
		packages = append(packages, "| `"+name+"` | "+strings.Join(all, ", ")+" |\n")
	}
	slices.Sort(libraries)
	slices.Sort(packages)
	return strings.NewReplacer(
		"<!-- table of libraries -->\n", "| Library | Versions | Not sent by the library |\n| --- | --- | --- |\n"+strings.Join(libraries, ""),
		"<!-- table of packages -->\n", "| Package | Versions |\n| --- | --- |\n"+strings.Join(packages, ""),
	)
}
