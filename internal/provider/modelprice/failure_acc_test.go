package modelprice_test

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/agentplane/terraform-provider-agentplane/internal/devserver"
	"github.com/agentplane/terraform-provider-agentplane/internal/providertest"
)

// TestAccModelPrice_unproved expects the import block of an entry whose creation lost its reply, if the look-up before failed, and so did
// those of the plan and of its repetition by the apply.
func TestAccModelPrice_unproved(t *testing.T) {
	t.Parallel()
	plane := providertest.NewDev(t)
	fails := step(nil)
	fails.PreConfig = plane.Arm(devserver.Fault{Match: listing, Status: 403, Detail: "Forbidden", Times: 3}, devserver.Fault{Match: creation, Drop: true})
	fails.ExpectError = regexp.MustCompile(`(?s)whether it existed before is unknown.*import \{\s+to = ADDRESS\s+id = "[0-9a-f-]{36}"`)
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{fails}})
	if made := listed(plane); len(made) != 1 {
		t.Errorf("%d entries, want one", len(made))
	}
}

// TestAccModelPrice_taken expects an error that says what to change.
func TestAccModelPrice_taken(t *testing.T) {
	t.Parallel()
	const says = "No two entries of a workspace may have the same name, match_pattern, match_path, model_provider, start_time and " +
		"prompt_token_threshold. "
	plane := providertest.NewDev(t)
	w := newWrites(plane)
	made(plane, map[string]any{"name": "theirs"})
	_ = w.Expect()(nil)
	still := planned(step(nil), action(plancheck.ResourceActionNoop))
	still.Check = w.Expect(put("POST", nil), put("PUT", map[string]string{"name": `"theirs"`}))
	providertest.Test(t, resource.TestCase{ProtoV6ProviderFactories: plane.Factories(), Steps: []resource.TestStep{
		step(nil), refused(args{"name": text("theirs")}, says+"Change one of these"), still,
	}})
}
