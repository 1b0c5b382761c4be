package internal_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/google/go-cmp/cmp"
)

func words(text string) []string {
	return strings.Fields(strings.NewReplacer(",", " ", `"`, "").Replace(text))
}

// builtPlatforms returns the platforms that goreleaser builds, by the ID of the build.
func builtPlatforms(t *testing.T, config string) map[string][]string {
	t.Helper()
	builds, _, _ := strings.Cut(config, "\narchives:")
	built := map[string][]string{}
	for _, build := range strings.Split(builds, "\n  - id: ")[1:] {
		id, rest, _ := strings.Cut(build, "\n")
		systems, machines := regexp.MustCompile(`goos: \[(.+)\]`).FindStringSubmatch(rest), regexp.MustCompile(`goarch: \[(.+)\]`).FindStringSubmatch(rest)
		if systems == nil || machines == nil {
			t.Fatalf("the build %s names no platforms", id)
		}
		ignored := map[string]bool{}
		for _, pair := range regexp.MustCompile(`\{ goos: (\w+), goarch: "?(\w+)"? \}`).FindAllStringSubmatch(rest, -1) {
			ignored[pair[1]+"_"+pair[2]] = true
		}
		for _, system := range words(systems[1]) {
			for _, machine := range words(machines[1]) {
				if !ignored[system+"_"+machine] {
					built[id] = append(built[id], system+"_"+machine)
				}
			}
		}
		slices.Sort(built[id])
	}
	return built
}

// TestRelease compares goreleaser's platforms with those that .ci/release expects, because running that takes minutes, and the
// manifest with the provider's protocol version.
func TestRelease(t *testing.T) {
	t.Parallel()
	config, err := os.ReadFile("../.goreleaser.yml")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../.ci/release")
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string][]string{}
	for _, list := range regexp.MustCompile(`(?m)^(provider|devserver)=\(([^)]+)\)`).FindAllStringSubmatch(string(script), -1) {
		expected[list[1]] = words(list[2])
		slices.Sort(expected[list[1]])
	}
	built := builtPlatforms(t, string(config))
	if diff := cmp.Diff(expected, built); diff != "" || len(expected) != 2 {
		t.Errorf("platforms (-.ci/release +.goreleaser.yml):\n%s", diff)
	}
	for _, platform := range []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"} {
		for id := range maps.Keys(expected) {
			if !slices.Contains(built[id], platform) {
				t.Errorf("the %s is not built for %s", id, platform)
			}
		}
	}
	// Registries require these file names.
	for _, want := range []string{
		"\nproject_name: terraform-provider-agentplane\n", `binary: "{{ .ProjectName }}_v{{ .Version }}"`,
		`name_template: "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}"`, `name_template: "{{ .ProjectName }}_{{ .Version }}_SHA256SUMS"`,
		`name_template: "{{ .ProjectName }}_{{ .Version }}_manifest.json"`, "glob: terraform-registry-manifest.json",
	} {
		if !strings.Contains(string(config), want) {
			t.Errorf(".goreleaser.yml lacks %s", want)
		}
	}
	// Each build lists its modules in files named like its archives, without the suffix of Windows programs.
	for _, name := range []string{"{{ .ProjectName }}", "agentplane-devserver"} {
		if want := name + "_{{ .Version }}_{{ .Os }}_{{ .Arch }}.cdx.json"; !strings.Contains(string(config), want) {
			t.Errorf(".goreleaser.yml lacks %s", want)
		}
	}
	// goreleaser starts the command that lists the modules of a binary in dist/.
	modfile := regexp.MustCompile(`-modfile=([^,]+), cyclonedx-gomod`).FindStringSubmatch(string(config))
	if modfile == nil {
		t.Fatal(".goreleaser.yml doesn't run cyclonedx-gomod")
	}
	if _, err := os.Stat(filepath.Join("..", "dist", modfile[1])); err != nil {
		t.Errorf(".goreleaser.yml: the path of -modfile has to be relative to dist: %s", err)
	}
	manifest, err := os.ReadFile("../terraform-registry-manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Version  int
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		}
	}
	if err := json.Unmarshal(manifest, &published); err != nil {
		t.Fatal(err)
	}
	if published.Version != 1 || !slices.Equal(published.Metadata.ProtocolVersions, []string{"6.0"}) {
		t.Errorf("the manifest says %s", manifest)
	}
}

// TestSigningKey checks keys that expire sooner or later. Without gpg, it is skipped, unless AGENTPLANE_TEST_GPG is set.
func TestSigningKey(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gpg"); err != nil {
		if os.Getenv("AGENTPLANE_TEST_GPG") != "" {
			t.Fatal(err)
		}
		t.Skip("gpg is not installed")
	}
	const day = 24 * time.Hour
	for name, tc := range map[string]struct {
		made     time.Duration // Ago.
		lifetime time.Duration
		fails    bool
		want     string
	}{
		"later":   {lifetime: 62 * day, want: "expires in 6"},
		"soon":    {lifetime: 59 * day, fails: true, want: "both registries"},
		"expired": {made: 3 * day, lifetime: day, fails: true, want: "both registries"},
		"never":   {want: "never expires"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			made := time.Now().Add(-tc.made)
			config := &packet.Config{KeyLifetimeSecs: uint32(tc.lifetime.Seconds()), Time: func() time.Time { return made }}
			file := filepath.Join(t.TempDir(), "key")
			key, err := openpgp.NewEntity("Releases", "", "releases@example.com", config)
			if err != nil {
				t.Fatal(err)
			}
			public, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := key.Serialize(public); err != nil {
				t.Fatal(err)
			}
			told, err := exec.CommandContext(t.Context(), "../.ci/signing-key", file).CombinedOutput()
			if (err != nil) != tc.fails || !strings.Contains(string(told), tc.want) {
				t.Errorf("error = %v, want one: %t, and %q:\n%s", err, tc.fails, tc.want, told)
			}
		})
	}
}
