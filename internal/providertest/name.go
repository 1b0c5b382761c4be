package providertest

import (
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-testing/helper/acctest"
)

// Prefix begins the names of everything that the suite creates in a real control plane, which others use too. Sweepers delete
// everything with this prefix.
const Prefix = "tf-acc-"

// run distinguishes the names of test runs. Some installations only allow 21 characters.
var run = sync.OnceValue(func() string { return "-" + acctest.RandStringFromCharSet(5, acctest.CharSetAlphaNum) })

// Name returns a name that begins with Prefix and, in a real control plane, is unique to this run. The dev server belongs to one
// test, so names stay readable there.
func (p *Plane) Name(name string) string { return Prefix + name + p.suffix() }

// Image returns the image of deployments: an invented one, or one from the repository in AGENTPLANE_TEST_IMAGE, which needs the
// tags 1.0.0 and 1.1.0.
func (p *Plane) Image(tag string) string {
	if p.Service == nil {
		return os.Getenv("AGENTPLANE_TEST_IMAGE") + ":" + tag
	}
	return "registry.example.com/agents/chat:" + tag
}

func (p *Plane) suffix() string {
	if p.Service == nil {
		return run()
	}
	return ""
}
