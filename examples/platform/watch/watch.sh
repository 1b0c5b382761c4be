#!/usr/bin/env bash
# Rolls prod back if the traces of the revision that serves exceed the limits. Run it every few minutes after a rollout. It ends with 1 after a
# rollback, so that the job fails. TF_VAR_limits sets the limits, and TERRAFORM the CLI, which needs actions: Terraform 1.14.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
terraform=${TERRAFORM:-terraform}
export TF_INPUT=0

"$terraform" -chdir=watch init
"$terraform" -chdir=watch apply -auto-approve
revision=$("$terraform" -chdir=watch output -raw revision_id)
if [[ -n $revision ]]; then
	"$terraform" -chdir=rollback init
	"$terraform" -chdir=rollback apply -auto-approve -invoke=action.agentplane_roll_back.prod -var revision_id="$revision"
	exit 1
fi
