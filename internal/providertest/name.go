package providertest

import (
	"os"
	"sync"

	"github.com/hashicorp/terraform-plugin-testing/helper/acctest"
)

// Prefix begins the name of everything that the suite makes in a real control plane, where it is not alone. Sweepers
// remove what has it.
const Prefix = "tf-acc-"

// run tells the names of one run from those of another. The shortest installations take 21 characters.
var run = sync.OnceValue(func() string { return "-" + acctest.RandStringFromCharSet(5, acctest.CharSetAlphaNum) })

// Name is a name that begins with Prefix and, in a real control plane, is unique to this run. The dev server is this
// test's own, so names stay readable there.
func (p *Plane) Name(name string) string { return Prefix + name + p.suffix() }

// Image is what deployments run: made up, or a real one, whose repository AGENTPLANE_TEST_IMAGE names. It needs the tags
// 1.0.0 and 1.1.0 then.
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
